// serve(), driven as the engine's glue drives it.

import { equal, ok, rejects, same, suite, throws } from './check.ts';
import { machine, oneTool } from './machine.ts';
import { Config, Host, Http, Var } from 'neuralis:pdk-guest';
import { describe, expect, host } from 'neuralis:testing';
import { console } from 'neuralis:web/console';
import { performance } from 'neuralis:web/performance';
import { clearTimeout, queueMicrotask, setImmediate, setInterval, setTimeout } from 'neuralis:web/timers';

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export const run = suite((test) => {
  test('a tool answers, at once or later', async () => {
    same(await oneTool((args) => ({ got: args.x + 1 })).tool('t', { x: 1 }), { got: 2 });
    same(await oneTool(async (args) => [args.x]).tool('t', { x: 1 }), [1]);
    same(await oneTool(() => undefined).tool('t'), null);
    same(await oneTool((args) => args).tool('t', undefined), {});
  });

  test('arguments named __proto__ stay data', async () => {
    const m = oneTool((args) => ({ keys: Object.keys(args), admin: args.admin, plain: ({} as any).admin }));
    same(await m.tool('t', JSON.parse('{"__proto__":{"admin":true}}')), { keys: ['__proto__'], plain: undefined });
  });

  test('arguments 4,000 levels deep', async () => {
    let deep: any = 1;
    for (let i = 0; i < 4000; i++) deep = [deep];
    same(await oneTool((args) => args.deep.length).tool('t', { deep }), 1);
  });

  const loop: any = { a: { list: [1] } };
  loop.a.list.push(loop.a);
  for (const [name, handler, code, message] of [
    ['an Error', () => { throw new TypeError('bad'); }, 'handler-error', /^bad$/],
    ['a rejection', async () => { throw new RangeError('late'); }, 'handler-error', /^late$/],
    ['undefined', () => { throw undefined; }, 'handler-error', /not an Error but undefined/],
    ['text', () => { throw 'words'; }, 'handler-error', /not an Error but "words"/],
    ['an object', () => Promise.reject({ status: 3 }), 'handler-error', /not an Error but {"status":3}/],
    ['an error without a prototype', () => { throw Object.create(null); }, 'handler-error', /not an Error but \{\}/],
    ['a proxy that throws', () => { throw new Proxy({}, { get() { throw 1; }, getPrototypeOf() { throw 2; } }); }, 'handler-error', /cannot be read|not an Error/],
    ['a cycle', () => loop, 'invalid-result', /the tool t: the result cannot be written as JSON: result\.a\.list\[1\] is the same object as result\.a, a cycle/],
    ['a BigInt within', () => ({ n: [1n] }), 'invalid-result', /result\.n\[0\] is a BigInt \(1n\)/],
    ['a BigInt', () => 1n, 'invalid-result', /the tool t returned a BigInt \(1n\)/],
    ['a function', () => function helper() {}, 'invalid-result', /the tool t returned a function \(helper\)/],
    ['a symbol', () => Symbol('x'), 'invalid-result', /returned a symbol/],
    ['a toJSON that throws', () => ({ toJSON() { throw new Error('mine'); } }), 'handler-error', /^mine$/],
    ['a promise that never settles', () => new Promise(() => {}), 'never-settled', /the tool t never settles/],
  ] as [string, () => unknown, string, RegExp][]) {
    test(`a handler that gives ${name}`, async () => {
      const error = await rejects(() => oneTool(handler).tool('t'), message);
      equal(error.code, code);
    });
  }

  test('an error carries its stack, its causes and the code it had', async () => {
    const m = oneTool(() => {
      throw Object.assign(new Error('outer', { cause: new Error('inner') }), { code: 'E_MINE' });
    });
    const error = await rejects(() => m.tool('t'), /^outer$/);
    ok(error.stack.includes('Caused by: Error: inner'), error.stack);
    equal(error.causeCode, 'E_MINE');
  });

  test('an unknown tool, and input that is nothing', async () => {
    const m = oneTool(() => 1);
    equal((await rejects(() => m.tool('nope'), /no tool "nope"; it has t/)).code, 'unknown-tool');
    equal((await rejects(() => m.tool('__proto__'), /no tool/)).code, 'unknown-tool');
  });

  test('timers fire by due time, then in order, with microtasks between', async () => {
    const m = oneTool(async () => {
      const seen: string[] = [];
      setTimeout(() => seen.push('20'), 20);
      setTimeout(() => {
        seen.push('10a');
        queueMicrotask(() => seen.push('micro'));
      }, 10);
      setTimeout((...args: unknown[]) => seen.push(`10b ${args}`), 10, 'x', 'y');
      setImmediate(() => seen.push('now'));
      const gone = setTimeout(() => seen.push('gone'), 5);
      clearTimeout(gone);
      let ticks = 0;
      const interval = setInterval(() => {
        seen.push(`tick ${++ticks}`);
        if (ticks === 2) clearTimeout(interval);
      }, 12);
      await sleep(50);
      return seen;
    });
    same(await m.tool('t'), ['now', '10a', 'micro', '10b x,y', 'tick 1', '20', 'tick 2']);
    same(m.requests.map((r) => r.ms), [10, 2, 8, 4, 26]);
    equal(m.now, 1050);
  });

  test('1,000 timers in reverse', async () => {
    const m = oneTool(async () => {
      const seen: number[] = [];
      for (let i = 1000; i > 0; i--) setTimeout(() => seen.push(i), i);
      await sleep(1001);
      return seen.every((n, i) => n === i + 1) && seen.length;
    });
    equal(await m.tool('t'), 1000);
  });

  test('a host without timer.sleep', async () => {
    const m = oneTool(async () => {
      await sleep(3);
      return 'awake';
    });
    delete m.host['timer.sleep'];
    const clock = setClock(m);
    equal(await m.tool('t'), 'awake');
    ok(clock.reads > 3, 'it watched the clock');
  });

  test('what a call leaves behind is dropped', async () => {
    const seen: string[] = [];
    const m = oneTool(async (args) => {
      if (args.leave) setTimeout(() => seen.push('left'), 1);
      else await sleep(10);
      return seen;
    });
    same(await m.tool('t', { leave: true }), []);
    same(await m.tool('t', {}), []);
  });

  test('a promise of an earlier call cannot settle a later one', async () => {
    let release: any;
    const m = oneTool(async (args) => {
      if (args.wait) return new Promise((resolve) => (release = resolve));
      release('old');
      await sleep(1);
      return 'new';
    });
    await rejects(() => m.tool('t', { wait: true }), /never settles/);
    equal(await m.tool('t', {}), 'new');
  });

  test('a timer that throws is logged and does not fail the call; a hang names it', async () => {
    const m = oneTool(async (args) => {
      setTimeout(() => { throw new Error('in a timer'); }, 1);
      await sleep(5);
      return args.hang ? new Promise(() => {}) : 'fine';
    });
    equal(await m.tool('t'), 'fine');
    ok(m.logs.some(([level, text]) => level === 4 && text.startsWith('uncaught exception: Error: in a timer')), String(m.logs));
    await rejects(() => m.tool('t', { hang: true }), /never settles: .*"in a timer"/);
  });

  test('an unhandled rejection is logged and does not fail the call', async () => {
    const m: any = oneTool(async () => {
      const promise = {};
      m.rejection(promise, new Error('nobody'), false);
      const late = {};
      m.rejection(late, new Error('somebody'), false);
      m.rejection(late, undefined, true);
      return 1;
    });
    equal(await m.tool('t'), 1);
    same(m.logs.map(([, text]: any) => text.split('\n')[0]), ['unhandled rejection: Error: nobody']);
  });

  test('the host cancels', async () => {
    const m = oneTool(async (_args, ctx) => {
      const { signal } = ctx;
      const reasons: string[] = [];
      signal.addEventListener('abort', () => reasons.push(signal.reason.message));
      await sleep(5);
      return [signal.aborted, signal.reason.name, ...reasons];
    });
    m.host['timer.sleep'] = () => ({ ok: null, cancelled: 'the caller went away' });
    m.host['timer.sleep'] = ({ ms }) => ((m.now += ms), { ok: null, cancelled: 'the caller went away' });
    same(await m.tool('t'), [true, 'AbortError', 'the caller went away']);
  });

  test('init runs once, lazily, and again after it failed', async () => {
    let runs = 0;
    const lifecycle = {
      init: async (ctx: any) => {
        runs++;
        await sleep(2);
        if (runs === 1) throw new Error('no database');
        return { runs, session: 'session' in ctx, id: ctx.package.id };
      },
      start: (state: any, info: any) => ({ state, info }),
      stop: () => { throw new Error('cannot stop'); },
      helper: 3,
    };
    const m = oneTool((_args, ctx) => ctx.state, { lifecycle });
    same((await m.hook('describe')).lifecycle, ['init', 'start', 'stop']);
    equal(runs, 0);
    const error = await rejects(() => m.tool('t'), /init in src\/lifecycle.ts failed: no database/);
    equal(error.code, 'init-failed');
    ok(error.stack.includes('no database'), error.stack);
    same(await m.tool('t'), { runs: 2, session: false, id: 'demo' });
    same(await m.hook('start', { args: ['i'] }), { state: { runs: 2, session: false, id: 'demo' }, info: 'i' });
    same(await m.hook('provisionProject', { args: ['p'] }), null);
    await rejects(() => m.hook('stop'), /cannot stop/);
    equal((await rejects(() => m.hook('explode'), /no lifecycle hook "explode"/)).code, 'unknown-hook');
    equal(runs, 2);
  });

  test('an interval of init does not keep a call alive, and runs while one waits', async () => {
    let ticks = 0;
    const lifecycle = { init: () => void setInterval(() => ticks++, 10) };
    const m = oneTool(async (args) => (args.hang ? new Promise(() => {}) : sleep(25).then(() => ticks)), { lifecycle });
    equal(await m.tool('t'), 2);
    await rejects(() => m.tool('t', { hang: true }), /never settles/);
    equal(await m.tool('t'), 4);
  });

  test('the api of a package', async () => {
    const lifecycle = { init: () => ({ n: 5 }), api: (state: any) => ({ add: async (x: number) => state.n + x }) };
    const m = oneTool(() => 0, { lifecycle });
    equal(await m.hook('api', { method: 'add', args: [2] }), 7);
    await rejects(() => m.hook('api', { method: 'toString' }), /has no API method "toString"/);
    await rejects(() => m.hook('api', { method: 'sub' }), /has no API method "sub"/);
  });

  test('a timer made while the package was built counts from the first call', async () => {
    let fired = 0;
    const m = oneTool(async (args) => {
      await sleep(args.ms);
      return fired;
    });
    setTimeout(() => fired++, 100); // the build: nobody is in a call
    m.now = 5_000_000;
    equal(await m.tool('t', { ms: 50 }), 0);
    equal(await m.tool('t', { ms: 60 }), 1);
  });

  test('the time origin is when the instance was first entered', async () => {
    const m = oneTool(() => performance.now());
    performance.now(); // the build
    await m.hook('describe'); // may be asked before the memory image is taken
    m.now = 7_000_000;
    equal(await m.tool('t'), 0);
    m.now += 5;
    equal(await m.tool('t'), 5);
  });

  test('groups and counts of console end with the call', async () => {
    const m = oneTool(() => {
      console.group('g');
      console.count('c');
    });
    await m.tool('t');
    await m.tool('t');
    same(m.logs, [[2, 'g'], [2, '  c: 1'], [2, 'g'], [2, '  c: 1']]);
  });

  test('a lone surrogate in the log', async () => {
    const m = oneTool(() => console.log('a\ud800'));
    await m.tool('t');
    same(m.logs, [[2, 'a\ufffd']]);
  });

  test("the plug-in's own interface", async () => {
    const native = (globalThis as any).fake.native;
    const variables = new Map<string, ArrayBuffer>();
    Object.assign(native, {
      5: (key: string) => (key === 'k' ? 'v' : undefined),
      6: (key: string) => variables.get(key),
      7: (key: string, value?: ArrayBuffer) => (value ? variables.set(key, value) : variables.delete(key)),
      8: (request: string, body?: ArrayBuffer) => ascii(`${request} ${body?.byteLength}`),
      9: () => 201,
      10: () => '{"x-a":"b"}',
    });
    const m = oneTool(() => {
      Var.set('a', 'hé');
      Var.set('b', new Uint8Array([9, 1, 2]).subarray(1));
      const before = [Var.getString('a'), Var.getBytes('b')!.byteLength, Var.getString('c')];
      Var.delete('a');
      const { status, headers, body } = Http.request({ url: 'u' }, 'xyz');
      return [...before, Var.getString('a'), Config.get('k'), Config.get('n'), JSON.parse(Host.inputString()).tool, status, headers, body];
    });
    same(await m.tool('t'), ['hé', 2, null, null, 'v', null, 't', 201, { 'x-a': 'b' }, '{"url":"u","method":"GET","headers":{}} 3']);
  });

  test('the test library refuses outside of a test run', () => {
    throws(() => describe('x', () => {}), /tests run under `neuralis test`/);
    throws(() => expect(1).toBe(1), /neuralis test/);
    throws(() => host.callTool('x'), /neuralis test/);
  });

  for (const [name, modules, message] of [
    ['a tool without default export', { tools: { t: {} } }, /^src\/tools\/t\.ts: the default export must be a function .*; it is missing/],
    ['a tool that is an object', { tools: { t: { default: {} } } }, /it is of type object/],
    ['a route without pattern', { routes: [{ source: 'src/routes/r.ts', module: { GET() {} } }] }, /^src\/routes\/r\.ts: the export "pattern"/],
    ['a route without methods', { routes: [{ source: 'src/routes/r.ts', module: { pattern: 'x' } }] }, /exports at least one of GET/],
    ['a method that is no function', { routes: [{ source: 'src/routes/r.ts', module: { pattern: 'x', GET: 1 } }] }, /the export "GET" must be a function/],
    ['a rest that is not last', { routes: [{ source: 'src/routes/r.ts', module: { pattern: '*a/b', GET() {} } }] }, /^src\/routes\/r\.ts: in the pattern "\*a\/b", \*a must come last/],
    ['a leading slash', { routes: [{ source: 'src/routes/r.ts', module: { pattern: '/b', GET() {} } }] }, /empty segment/],
    ['a parameter twice', { routes: [{ source: 'src/routes/r.ts', module: { pattern: ':a/:a', GET() {} } }] }, /names the parameter "a" twice/],
    ['equal patterns', { routes: [{ source: 'a.ts', module: { pattern: 'x/:a', GET() {} } }, { source: 'b.ts', module: { pattern: 'x/:b', PUT() {} } }] }, /^b\.ts: the pattern "x\/:b" matches the same paths as "x\/:a" in a\.ts/],
    ['a lifecycle without init', { lifecycle: { start() {} } }, /^src\/lifecycle\.ts: the export "init" must be a function/],
  ] as [string, any, RegExp][]) {
    test(`serve refuses ${name}`, () => throws(() => machine(modules), message));
  }
});

/** ASCII text as bytes. */
const ascii = (text: string): ArrayBuffer => Uint8Array.from(text, (c) => c.charCodeAt(0)).buffer;

/** Replaces the machine's clock by one that moves by itself. */
function setClock(m: { now: number }): { reads: number } {
  const clock = { reads: 0 };
  Object.defineProperty(m, 'now', { get: () => 1000 + ++clock.reads, configurable: true });
  return clock;
}
