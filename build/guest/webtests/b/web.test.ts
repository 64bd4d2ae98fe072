// Everything here is said by a specification; where Node has the API too, its answers are
// compared with ours in peer.test.ts.

import { AbortController, AbortSignal } from 'neuralis:web/abort';
import { Blob, File } from 'neuralis:web/blob';
import { console } from 'neuralis:web/console';
import { crypto } from 'neuralis:web/crypto';
import { DOMException } from 'neuralis:web/domexception';
import { CustomEvent, Event, EventTarget } from 'neuralis:web/event';
import { Headers } from 'neuralis:web/headers';
import { inspect } from 'neuralis:web/inspect';
import { repairBigInt } from 'neuralis:runtime/repairs';
import { performance } from 'neuralis:web/performance';
import { Response } from 'neuralis:web/response';
import { structuredClone } from 'neuralis:web/structured-clone';
import { URL } from 'neuralis:web/url';
import { equal, ok, rejects, same, suite, throws } from './check.ts';
import { capture } from './machine.ts';

const hex = (bytes: ArrayBuffer): string => Array.from(new Uint8Array(bytes), (b) => b.toString(16).padStart(2, '0')).join('');
const ascii = (text: string): Uint8Array => Uint8Array.from(text, (c) => c.charCodeAt(0));

export const run = suite((test) => {
  // FIPS 180-4 examples: "abc", the empty message, two blocks, a million times "a" is too slow here.
  const two = 'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq';
  for (const [algorithm, message, want] of [
    ['SHA-1', 'abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['SHA-1', '', 'da39a3ee5e6b4b0d3255bfef95601890afd80709'],
    ['SHA-1', two, '84983e441c3bd26ebaae4aa1f95129e5e54670f1'],
    ['SHA-256', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['sha-256', '', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['SHA-256', two, '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1'],
    ['SHA-384', 'abc', 'cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7'],
    ['SHA-512', 'abc', 'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f'],
  ] as const) {
    test(`${algorithm} of ${JSON.stringify(message)}`, async () => equal(hex(await crypto.subtle.digest(algorithm, ascii(message))), want));
  }

  test('HMAC, RFC 4231 case 2', async () => {
    const key = await crypto.subtle.importKey('raw', ascii('Jefe'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
    const data = ascii('what do ya want for nothing?');
    const signature = await crypto.subtle.sign('HMAC', key, data);
    equal(hex(signature), '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
    equal(await crypto.subtle.verify('HMAC', key, signature, data), true);
    equal(await crypto.subtle.verify('HMAC', key, signature.slice(1), data), false);
    equal(await crypto.subtle.verify('HMAC', key, new Uint8Array(32), data), false);
    await rejects(() => crypto.subtle.exportKey('raw', key), 'InvalidAccessError');
  });

  test('HMAC with a key longer than a block, RFC 4231 case 6', async () => {
    const key = await crypto.subtle.importKey('raw', new Uint8Array(131).fill(0xaa), { name: 'HMAC', hash: { name: 'SHA-512' } }, true, ['sign']);
    const signature = await crypto.subtle.sign('HMAC', key, ascii('Test Using Larger Than Block-Size Key - Hash Key First'));
    ok(hex(signature).startsWith('80b24263c7c1a3ebb71493c1dd7be8b4'), hex(signature));
    const jwk: any = await crypto.subtle.exportKey('jwk', key);
    equal(jwk.alg, 'HS512');
    const again = await crypto.subtle.importKey('jwk', jwk, { name: 'HMAC', hash: 'SHA-512' }, true, ['sign']);
    equal(hex(await crypto.subtle.sign('HMAC', again, ascii('x'))), hex(await crypto.subtle.sign('HMAC', key, ascii('x'))));
  });

  test('what subtle does not have is refused', async () => {
    await rejects(() => crypto.subtle.digest('MD5', new Uint8Array(1)), 'NotSupportedError');
    await rejects(() => crypto.subtle.importKey('raw', new Uint8Array(1), 'AES-GCM', true, ['encrypt']), 'NotSupportedError');
    await rejects(() => crypto.subtle.digest('SHA-256', 'text' as any), TypeError);
    await rejects(() => crypto.subtle.importKey('raw', new Uint8Array(1), { name: 'HMAC', hash: 'SHA-1' }, true, ['encrypt']), 'SyntaxError');
    await rejects(() => crypto.subtle.importKey('raw', new Uint8Array(0), { name: 'HMAC', hash: 'SHA-1' }, true, ['sign']), 'DataError');
  });

  test('random values', () => {
    const array = new Uint16Array(500);
    equal(crypto.getRandomValues(array), array);
    ok(new Set(array).size > 400, 'numbers differ');
    equal(crypto.getRandomValues(new BigInt64Array(1)).length, 1);
    equal(crypto.getRandomValues(new Uint8Array(65536)).length, 65536);
    throws(() => crypto.getRandomValues(new Uint8Array(65537)), 'QuotaExceededError');
    throws(() => crypto.getRandomValues(new Float32Array(1)), 'TypeMismatchError');
    throws(() => crypto.getRandomValues(new DataView(new ArrayBuffer(1))), 'TypeMismatchError');
    throws(() => crypto.getRandomValues([1] as any), TypeError);
    const view = new Uint8Array(8);
    crypto.getRandomValues(view.subarray(2, 4));
    same([...view.subarray(0, 2), ...view.subarray(4)], [0, 0, 0, 0, 0, 0]);
  });

  test('UUIDs', () => {
    const ids = new Set(Array.from({ length: 200 }, () => crypto.randomUUID()));
    equal(ids.size, 200);
    for (const id of ids) ok(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id), id);
  });

  test('BigInt.asUintN is unsigned', () => {
    repairBigInt();
    equal(BigInt.asUintN(8, -1n), 255n);
    equal(BigInt.asUintN(64, -1n), 18446744073709551615n);
    equal(BigInt.asUintN(65, 1n << 65n), 0n);
    equal(BigInt.asUintN(0, 5n), 0n);
    equal(BigInt.asUintN.name, 'asUintN');
  });
  test('Math.random is even', () => {
    const buckets = new Array(10).fill(0);
    for (let i = 0; i < 10000; i++) {
      const x = Math.random();
      ok(x >= 0 && x < 1, `${x} is in range`);
      buckets[Math.floor(x * 10)]++;
    }
    for (const count of buckets) ok(count > 800 && count < 1200, `buckets ${buckets}`);
  });

  test('performance', () => {
    const before = performance.now();
    ok(before >= 0 && performance.now() >= before, 'it does not go back');
    ok(performance.timeOrigin > 0, 'there is an origin');
  });

  test('DOMException', () => {
    const error = new DOMException('no', 'AbortError');
    ok(error instanceof Error && error instanceof DOMException, 'it is an Error');
    same([error.name, error.message, error.code, String(error)], ['AbortError', 'no', 20, 'AbortError: no']);
    same([new DOMException().name, new DOMException().code, new DOMException('x', 'NoSuchName').code, new DOMException('x', '').code], ['Error', 0, 0, 0]);
    equal((DOMException as any).DATA_CLONE_ERR, 25);
    equal((error as any).INVALID_STATE_ERR, 11);
    equal(Object.prototype.toString.call(error), '[object DOMException]');
    equal(new DOMException('x', { name: 'DataError', cause: 7 }).cause, 7);
    equal(typeof error.stack, 'string');
  });

  test('a listener that throws does not stop the others', async () => {
    const target = new EventTarget();
    const seen: number[] = [];
    target.addEventListener('x', () => {
      throw new Error('one');
    });
    target.addEventListener('x', () => seen.push(2));
    const logs = await capture(() => target.dispatchEvent(new Event('x')));
    same(seen, [2]);
    ok(logs[0]![1].startsWith('uncaught exception: Error: one'), String(logs));
  });

  test('events of the author', () => {
    class Moved extends CustomEvent {
      get far() {
        return this.detail as number;
      }
    }
    class Thing extends EventTarget {}
    const thing = new Thing();
    let got: any;
    thing.addEventListener('moved', (event: any) => (got = event));
    equal(thing.dispatchEvent(new Moved('moved', { detail: 3 })), true);
    same([got.far, got.target === thing, got.currentTarget, got.eventPhase, got.isTrusted], [3, true, null, 0, false]);
    throws(() => thing.dispatchEvent({ type: 'moved' }), TypeError);
    throws(() => new (Event as any)(), TypeError);
  });

  test('one event cannot be dispatched within its own dispatch', () => {
    const target = new EventTarget();
    const event = new Event('x');
    let error: any;
    target.addEventListener('x', () => {
      try {
        target.dispatchEvent(event);
      } catch (e) {
        error = e;
      }
    });
    target.dispatchEvent(event);
    equal(error?.name, 'InvalidStateError');
  });

  test('a signal that others depend on', () => {
    const a = new AbortController(), b = new AbortController();
    const any = AbortSignal.any([a.signal, b.signal]);
    const nested = AbortSignal.any([any, AbortSignal.any([])]);
    const order: string[] = [];
    any.addEventListener('abort', () => order.push(`any ${nested.aborted}`));
    nested.addEventListener('abort', () => order.push('nested'));
    a.signal.addEventListener('abort', () => order.push(`a ${any.aborted}`));
    a.abort('why');
    same(order, ['a true', 'any true', 'nested']);
    equal(nested.reason, 'why');
    b.abort('late');
    equal(any.reason, 'why');
    equal(AbortSignal.any([a.signal, b.signal]).reason, 'why');
    throws(() => AbortSignal.any([{} as any]), TypeError);
    throws(() => new (AbortSignal as any)(), TypeError);
    throws(() => AbortSignal.timeout(-1), TypeError);
  });

  test('a clone 20,000 levels deep', () => {
    let deep: any = {};
    for (let i = 0; i < 20000; i++) deep = { deep };
    let copy: any = structuredClone(deep), levels = 0;
    for (; copy.deep; copy = copy.deep) levels++;
    equal(levels, 20000);
  });

  test('a clone keeps __proto__ as data', () => {
    const copy: any = structuredClone(JSON.parse('{"__proto__":{"admin":true},"a":1}'));
    equal(copy.admin, undefined);
    same(Object.keys(copy), ['__proto__', 'a']);
  });

  // Where Node 20 differs from the standards, so that peer.test.ts cannot say it.
  test('what may be transferred', () => {
    const gone = new ArrayBuffer(1);
    structuredClone(gone, { transfer: [gone] });
    throws(() => structuredClone(1, { transfer: [gone] }), 'DataCloneError');
    throws(() => structuredClone(gone), 'DataCloneError');
    throws(() => structuredClone(1, { transfer: [{}] }), 'DataCloneError');
    throws(() => structuredClone(1, { transfer: [5 as any] }), TypeError);
    throws(() => structuredClone(1, 5 as any), TypeError);
  });
  test('DOMExceptions and keys can be cloned', async () => {
    const error = structuredClone(new DOMException('m', 'AbortError'));
    same([error.name, error.message, error.code, error instanceof DOMException], ['AbortError', 'm', 20, true]);
    const key = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-1' }, true, ['sign']);
    equal(hex(await crypto.subtle.sign('HMAC', structuredClone(key), ascii('a'))), hex(await crypto.subtle.sign('HMAC', key, ascii('a'))));
  });
  test('files can be cloned', async () => {
    const file = structuredClone({ file: new File(['abc'], 'a.txt', { type: 'text/plain', lastModified: 5 }) }).file;
    same([file instanceof File, file.name, file.type, file.lastModified, file.size, await file.text()], [true, 'a.txt', 'text/plain', 5, 3, 'abc']);
    const blob = structuredClone(new Blob(['ab'], { type: 'x/y' }));
    same([blob instanceof File, blob.type, await blob.text()], [false, 'x/y', 'ab']);
  });
  for (const [name, make] of [
    ['a signal', () => new AbortController().signal], ['an event', () => new Event('x')], ['a target', () => new (class extends EventTarget {})()],
    ['a URL', () => new URL('http://a')], ['headers', () => new Headers()], ['a response', () => new Response()], ['an iterator', () => [][Symbol.iterator]()],
  ] as [string, () => unknown][]) {
    test(`${name} cannot be cloned`, () => throws(() => structuredClone({ a: make() }), 'DataCloneError'));
  }
  test('a passive listener cannot prevent', () => {
    const target = new EventTarget();
    target.addEventListener('a', (e: Event) => e.preventDefault(), { passive: true });
    equal(target.dispatchEvent(new Event('a', { cancelable: true })), true);
  });
  test('a listener added by another waits for the next event', () => {
    const target = new EventTarget();
    const seen: string[] = [];
    target.addEventListener('a', () => target.addEventListener('a', () => seen.push('late')));
    target.dispatchEvent(new Event('a'));
    same(seen, []);
    target.dispatchEvent(new Event('a'));
    same(seen, ['late']);
  });
  test('capturing listeners come first', () => {
    const target = new EventTarget();
    const seen: string[] = [];
    target.addEventListener('a', () => seen.push('bubble'));
    target.addEventListener('a', () => seen.push('capture'), true);
    target.dispatchEvent(new Event('a'));
    same(seen, ['capture', 'bubble']);
    equal((new Event('a') as any).AT_TARGET, 2);
  });

  test('a failed transfer leaves the buffer whole', () => {
    const buffer = new ArrayBuffer(4);
    throws(() => structuredClone({ buffer, f: () => {} }, { transfer: [buffer] }), 'DataCloneError');
    equal(buffer.byteLength, 4);
  });

  test('inspect', () => {
    class Point {
      x = 1;
      #hidden = 2;
      get y() {
        return this.#hidden;
      }
    }
    const loop: any = { name: 'a' };
    loop.self = loop;
    const sparse = [1, , 3];
    for (const [value, want] of [
      ['text', "'text'"],
      ["it's", `"it's"`],
      ['a\nb\\', String.raw`'a\nb\\'`],
      ['\ud800', String.raw`'\uD800'`],
      [-0, '-0'],
      [10n, '10n'],
      [null, 'null'],
      [undefined, 'undefined'],
      [Symbol('s'), 'Symbol(s)'],
      [[1, 'two', [3]], "[ 1, 'two', [ 3 ] ]"],
      [[], '[]'],
      [{}, '{}'],
      [sparse, '[ 1, <1 empty item>, 3 ]'],
      [{ a: 1, 'b-c': { d: [] } }, "{ a: 1, 'b-c': { d: [] } }"],
      [new Point(), 'Point { x: 1 }'],
      [new Map<any, any>([['k', { v: 1 }]]), "Map(1) { 'k' => { v: 1 } }"],
      [new Set([1, 2]), 'Set(2) { 1, 2 }'],
      [new Uint8Array([1, 2]), 'Uint8Array(2) [ 1, 2 ]'],
      [new ArrayBuffer(3), 'ArrayBuffer { byteLength: 3 }'],
      [new Date(0), '1970-01-01T00:00:00.000Z'],
      [/x/gi, '/x/gi'],
      [loop, "{ name: 'a', self: [Circular] }"],
      [Object.create(null), '[Object: null prototype] {}'],
      [Object(1), '[Number: 1]'],
      [function foo() {}, '[Function: foo]'],
      [class A extends Point {}, '[class A extends Point]'],
      [{ get a() { return 1; }, set b(_: number) {} }, '{ a: [Getter], b: [Setter] }'],
      [{ a: { b: { c: { d: { e: { f: 1 } } } } } }, '{ a: { b: { c: { d: { e: [Object] } } } } }'],
      [new Proxy({}, { ownKeys: () => { throw new Error('no'); } }), '[cannot be shown: no]'],
      [new Headers({ a: 'b' }), "Headers { 'a' => 'b' }"],
      [new Blob(['x']), "Blob { size: 1, type: '' }"],
      [new AbortController().signal, 'AbortSignal { aborted: false, reason: undefined, onabort: null }'],
    ] as [unknown, string][]) equal(inspect(value), want);
    equal(inspect(Array.from({ length: 200 }, (_, i) => i)).includes('... 100 more'), true);
    ok(inspect(new TypeError('bad', { cause: new Error('inner') })).includes('Caused by: Error: inner'), 'the cause is shown');
    equal(inspect({ long: 'x'.repeat(50), other: 'y'.repeat(40) }), `{\n  long: '${'x'.repeat(50)}',\n  other: '${'y'.repeat(40)}'\n}`);
  });

  test('console', async () => {
    const logs = await capture(() => {
      console.log('%s is %d years and %i, %f, %j %%', 'she', '42.5', '42.5', '1.5', { a: 1 }, 'more', { b: 2 });
      console.log('100%', 1);
      console.log({ a: 1 }, 'x');
      console.debug('d');
      console.warn('w');
      console.error(new Error('boom'));
      console.group('G');
      console.log('in\nside');
      console.groupEnd();
      console.assert(true, 'no');
      console.assert(false, 'so %s', 'it is');
      console.count();
      console.count();
      console.countReset();
      console.count();
      console.time('t');
      console.timeEnd('t');
      console.timeEnd('t');
      console.trace('here');
      console.log();
    });
    const text = logs.map(([level, line]) => `${level} ${line}`);
    same(text.slice(0, 5), ['2 she is 42.5 years and 42, 1.5, {"a":1} % more { b: 2 }', '2 100% 1', "2 { a: 1 } x", '1 d', '3 w']);
    ok(text[5]!.startsWith('4 Error: boom'), text[5]!);
    same(text.slice(6, 12), ['2 G', '2   in\n  side', '4 Assertion failed: so it is', '2 default: 1', '2 default: 2', '2 default: 1']);
    ok(/^2 t: \d/.test(text[12]!), text[12]!);
    equal(text[13], "3 console.timeEnd: there is no timer 't'");
    ok(text[14]!.startsWith('0 Trace: here'), text[14]!);
    equal(text[15], '2 ');
  });

  test('console.table', async () => {
    const [[, table]] = (await capture(() => console.table([{ a: 1, b: 'x' }, { a: 2, c: true }]))) as any;
    equal(table, [
      '┌─────────┬───┬─────┬──────┐',
      '│ (index) │ a │ b   │ c    │',
      '├─────────┼───┼─────┼──────┤',
      "│ 0       │ 1 │ 'x' │      │",
      '│ 1       │ 2 │     │ true │',
      '└─────────┴───┴─────┴──────┘',
    ].join('\n'));
  });
});
