// ctx: what it asks of the host, and what it makes of the answers.

import { equal, ok, rejects, same, suite } from './check.ts';
import { oneTool, type Machine } from './machine.ts';

/** Runs a handler's body on a host with these answers and gives the result and the requests. */
async function on(host: Machine['host'], body: (ctx: any) => unknown, more: object = {}): Promise<{ result: any; requests: any[]; machine: Machine }> {
  const m = oneTool(async (_args, ctx) => body(ctx));
  Object.assign(m.host, host);
  const result = await m.tool('t', {}, more);
  return { result, requests: m.requests, machine: m };
}

const fails = (code: string, message = 'no') => () => ({ error: { code, message } });

export const run = suite((test) => {
  test('session', async () => {
    const { result } = await on({}, (ctx) => [ctx.session, Object.isFrozen(ctx.session), ctx.package.id], { session: { userId: 'u', features: ['a'] } });
    same(result, [{ userId: 'u', features: ['a'] }, true, 'demo']);
  });

  test('a store: get, list, put, delete, exists', async () => {
    const { result, requests } = await on(
      { 'store.get': () => ({ ok: null }), 'store.list': () => ({ ok: [1] }), 'store.put': () => ({ ok: null }), 'store.delete': () => ({ ok: true }), 'store.exists': () => ({ ok: false }) },
      async ({ data }) => {
        const s = data.fileStore('s');
        return [await s.get('a'), await s.list(), await s.put('a', { x: 1 }), await s.delete('a'), await s.exists('a')];
      },
    );
    same(result, [null, [1], null, true, false]);
    same(requests, [
      { op: 'store.get', store: 's', id: 'a' }, { op: 'store.list', store: 's' }, { op: 'store.put', store: 's', id: 'a', value: { x: 1 } },
      { op: 'store.delete', store: 's', id: 'a' }, { op: 'store.exists', store: 's', id: 'a' },
    ]);
  });

  const store = (value: unknown) => ({ 'store.begin': () => ({ ok: { lock: 7, value } }), 'store.commit': () => ({ ok: null }), 'store.abort': () => ({ ok: null }) });
  for (const [name, old, change, result, last] of [
    ['writes what the function returns', { n: 1 }, (v: any) => ({ n: v.n + 1, at: new Date(0) }), { n: 2, at: '1970-01-01T00:00:00.000Z' }, { op: 'store.commit', lock: 7, value: { n: 2, at: '1970-01-01T00:00:00.000Z' } }],
    ['gives null for a missing record', null, (v: any) => ({ was: v }), { was: null }, { op: 'store.commit', lock: 7, value: { was: null } }],
    ['gives null where the host leaves it out', undefined, (v: any) => ({ was: v }), { was: null }, { op: 'store.commit', lock: 7, value: { was: null } }],
    ['writes nothing for undefined', { n: 1 }, (v: any) => void (v.n = 9), { n: 1 }, { op: 'store.abort', lock: 7 }],
  ] as [string, any, any, any, any][]) {
    test(`update ${name}`, async () => {
      const got = await on(store(old), ({ data }) => data.fileStore('s').update('a', change));
      same(got.result, result);
      same(got.requests.at(-1), last);
    });
  }
  for (const [name, change, message] of [
    ['an async function', async () => ({}), /is async/],
    ['a function that throws', () => { throw new Error('mine'); }, /^mine$/],
    ['a cycle', () => { const a: any = {}; a.a = a; return a; }, /the record a of the store s cannot be written as JSON/],
    ['a function for a record', () => () => {}, /it is function/],
  ] as [string, any, RegExp][]) {
    test(`update with ${name} gives the record back`, async () => {
      const m = oneTool((_args, { data }) => data.fileStore('s').update('a', change));
      Object.assign(m.host, store({}));
      await rejects(() => m.tool('t'), message);
      same(m.requests.at(-1), { op: 'store.abort', lock: 7 });
    });
  }

  test('errors of the host have their code', async () => {
    const { result } = await on({ 'store.get': fails('corrupt-record', 'a.json: bad') }, async ({ data }) => {
      try {
        await data.fileStore('s').get('a');
      } catch (error: any) {
        return [error instanceof Error, error.name, error.code, error.message];
      }
    });
    same(result, [true, 'HostError', 'corrupt-record', 'a.json: bad']);
  });

  test('paths and logs of lines', async () => {
    const { result, requests } = await on(
      { 'data.path': ({ rel }) => ({ ok: `/d/${rel}` }), 'data.append': () => ({ ok: null }), 'data.readNewest': () => ({ ok: [2, 1] }) },
      async ({ data }) => {
        const log = data.jsonlAppender({ maxBytes: 10, keep: 2 });
        await log.append('l', { a: 1 });
        return [data.dataPath('x'), await log.readNewest('l', 2)];
      },
    );
    same(result, ['/d/x', [2, 1]]);
    same(requests[0], { op: 'data.append', path: 'l', maxBytes: 10, keep: 2, value: { a: 1 } });
  });

  test('credentials never throw', async () => {
    const { result } = await on({ 'credentials.resolve': ({ id }) => (id === 'a' ? { ok: 'secret' } : id === 'b' ? { ok: null } : { error: { code: 'x', message: 'y' } }) }, async ({ credentials }) => [
      await credentials.resolveCredential('a'), typeof (await credentials.resolveCredential('b')), typeof (await credentials.resolveCredential('c')), await credentials.resolveForKind('k'),
    ]);
    same(result, ['secret', 'undefined', 'undefined', {}]);
  });

  test('config throws what the host says', async () => {
    equal((await on({ 'config.get': () => ({ ok: 20 }) }, ({ config }) => config.get('k'))).result, 20);
    const m = oneTool((_args, { config }) => config.get('k'));
    m.host['config.get'] = fails('unregistered-key', 'k is not declared');
    equal((await rejects(() => m.tool('t'), /not declared/)).causeCode, 'unregistered-key');
  });

  test('the logger takes anything', async () => {
    const loop: any = { n: 1n, error: new Error('e') };
    loop.self = loop;
    const { requests } = await on({ log: () => ({ ok: null }) }, ({ logger }) => {
      logger.info('put', { id: 1 });
      logger.error(new Error('boom'));
      logger.warn('loop', loop);
      logger.trace('t');
      return logger.level;
    });
    same(requests[0], { op: 'log', level: 'info', message: 'put', fields: { id: 1 } });
    ok(requests[1].message.startsWith('Error: boom'), requests[1].message);
    same([requests[2].fields.n, requests[2].fields.error.message, requests[2].fields.self], ['1', 'e', '[circular]']);
    same(requests[3], { op: 'log', level: 'trace', message: 't' });
  });

  test('the logger on a host without a structured log', async () => {
    const { machine } = await on({}, ({ logger }) => logger.warn('w', { a: 1 }));
    same(machine.logs, [[3, 'w {"a":1}']]);
  });

  test('callRoute', async () => {
    const answer = { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body: '{"a":1}' };
    const { result, requests } = await on({ 'route.call': () => ({ ok: answer }) }, async (ctx) => {
      const got = await ctx.callRoute('post', 'b/x', { query: { q: '1' }, headers: { 'X-A': 'b' }, body: { b: 2 } });
      return [got.status, got.body, got.rawBody];
    });
    same(result, [200, { a: 1 }, '{"a":1}']);
    same(requests[0], { op: 'route.call', method: 'POST', path: 'b/x', query: { q: '1' }, headers: { 'x-a': 'b', 'content-type': 'application/json' }, body: '{"b":2}' });
  });

  test('getPackageApi', async () => {
    const { result, requests } = await on({ 'api.call': ({ method, args }) => ({ ok: `${method} ${args}` }) }, async (ctx) => {
      const api = await ctx.getPackageApi('other', ctx.session);
      return api.find('a', 2);
    }, { session: { userId: 'u' } });
    equal(result, 'find a,2');
    same(requests[0], { op: 'api.call', package: 'other', method: 'find', args: ['a', 2], session: { userId: 'u' } });
    const m = oneTool((_args, ctx) => ctx.getPackageApi('other', undefined));
    await rejects(() => m.tool('t'), /needs the session/);
  });

  test('mcp is there only for an MCP client, and only with what it can do', async () => {
    equal((await on({}, (ctx) => typeof ctx.mcp)).result, 'undefined');
    const { result, requests } = await on({ 'mcp.progress': () => ({ ok: null }), 'mcp.sample': () => ({ ok: { role: 'assistant' } }) }, async ({ mcp }) => {
      await mcp.progress(1, 2, 'half');
      return [typeof mcp.elicit, await mcp.sample({ messages: [] })];
    }, { mcp: { sample: true, elicit: false } });
    same(result, ['undefined', { role: 'assistant' }]);
    same(requests, [{ op: 'mcp.progress', progress: 1, total: 2, message: 'half' }, { op: 'mcp.sample', params: { messages: [] } }]);
  });
});
