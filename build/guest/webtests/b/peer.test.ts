// The same small programs on our APIs and on the platform's own, where there are any: what
// they write down must be equal. In the sandbox there are none, and nothing is compared.

import { AbortController, AbortSignal } from 'neuralis:web/abort';
import { crypto } from 'neuralis:web/crypto';
import { DOMException } from 'neuralis:web/domexception';
import { CustomEvent, Event, EventTarget } from 'neuralis:web/event';
import { structuredClone } from 'neuralis:web/structured-clone';
import { equal, ok, suite } from './check.ts';

interface Api {
  AbortController: any;
  AbortSignal: any;
  CustomEvent: any;
  DOMException: any;
  Event: any;
  EventTarget: any;
  structuredClone: any;
  crypto: any;
}
const ours: Api = { AbortController, AbortSignal, CustomEvent, DOMException, Event, EventTarget, structuredClone, crypto };
const peer = (globalThis as any).process?.versions?.node ? (globalThis as any as Api) : undefined;

type Write = (...values: unknown[]) => void;

/** A value and what can be seen of it, types and sharing included. */
function portrait(value: unknown, seen = new Map<object, number>()): string {
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? '-0' : String(typeof value === 'string' ? JSON.stringify(value) : value);
  if (seen.has(value)) return `#${seen.get(value)}`;
  seen.set(value, seen.size);
  const all = (items: Iterable<unknown>) => [...items].map((item) => portrait(item, seen)).join();
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  const own = () => Object.entries(value).map(([k, v]) => `${k}=${portrait(v, seen)}`).join();
  if (value instanceof Date) return `Date ${value.getTime()} {${own()}}`;
  if (value instanceof RegExp) return `${value} ${value.lastIndex} {${own()}}`;
  if (value instanceof Map) return `Map ${all([...value].flat())} {${own()}}`;
  if (value instanceof Set) return `Set ${all(value)} {${own()}}`;
  if (value instanceof Error) return `${tag} ${Object.getPrototypeOf(value).name} ${value.name} ${value.message} ${Object.hasOwn(value, 'message')} ${JSON.stringify(Object.getOwnPropertyDescriptor(value, 'message')?.enumerable)} {${own()}}`;
  if (value instanceof ArrayBuffer) return `ArrayBuffer ${all(new Uint8Array(value))}`;
  if (ArrayBuffer.isView(value)) return `${tag} ${value.byteOffset} ${value.byteLength} ${portrait(value.buffer, seen)}`;
  if (Array.isArray(value)) return `Array ${value.length} {${own()}}`;
  if (value instanceof Number || value instanceof String || value instanceof Boolean || (value as object) instanceof BigInt) return `[${tag} ${value}]`;
  return `${tag} ${Object.getPrototypeOf(value) === Object.prototype} {${own()}}`;
}

class Custom {
  own = 1;
  get inherited() {
    return 2;
  }
}
const shared = { s: 1 };
const cycle: any = { list: [] };
cycle.list.push(cycle, new Map([[cycle, cycle]]), new Set([cycle]));
const buffer = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]).buffer;
const named = (error: Error, name: unknown) => Object.defineProperty(error, 'name', { value: name, configurable: true });
const withProps = <T extends object>(value: T) => Object.assign(value, { extra: 1 });
const regexp = /a/giu;
regexp.lastIndex = 2;

/** Values to clone. */
const values: [string, () => unknown][] = [
  ['primitives', () => [undefined, null, true, 0, -0, NaN, Infinity, 1n, '', 'a\ud800', 'é']],
  ['wrappers', () => [Object(true), Object(1), Object('s'), Object(2n), withProps(Object(false))]],
  ['dates', () => [new Date(0), new Date(NaN), withProps(new Date(1.5))]],
  ['a regexp', () => regexp],
  ['plain objects', () => ({ a: { b: [1, , 3] }, [Symbol('no')]: 1, 'x-y': undefined })],
  ['an array with more', () => withProps([1, 2])],
  ['an array with a length', () => new Array(5)],
  ['a class', () => new Custom()],
  ['no prototype', () => Object.assign(Object.create(null), { a: 1 })],
  ['an inherited property', () => Object.create({ a: 1 })],
  ['what cannot be enumerated', () => Object.defineProperty({}, 'a', { value: 1 })],
  ['a getter', () => ({ get a() { return 1; } })],
  ['a getter that deletes', () => ({ get a() { delete (this as any).b; return 1; }, b: 2 })],
  ['a getter that throws', () => ({ get a() { throw new RangeError('mine'); } })],
  ['sharing', () => [shared, shared, { shared }]],
  ['a cycle', () => cycle],
  ['a map', () => new Map<unknown, unknown>([['a', { b: 1 }], [{}, new Map()], [NaN, -0]])],
  ['a map with more', () => withProps(new Map([[1, 2]]))],
  ['a map changed by a getter', () => { const m = new Map<any, any>([[1, { get x() { m.set(2, 3); return 1; } }]]); return m; }],
  ['a set', () => new Set<unknown>([1, 'a', {}, [1]])],
  ['errors', () => [new Error('a'), new TypeError('b'), new RangeError(), new EvalError('c'), new URIError('d'), new SyntaxError('e'), new ReferenceError('f')]],
  ['errors with names', () => [named(new Error('a'), 'TypeError'), named(new TypeError('a'), 'Mine'), named(new Error('a'), undefined), new (class Mine extends RangeError {})('m'), withProps(new Error('p'))]],
  ['an error with a message that is none', () => Object.defineProperty(new Error('x'), 'message', { value: 5 })],
  ['an error with an accessor for a message', () => Object.defineProperty(new Error('x'), 'message', { get: () => 'y' })],
  ['AggregateError', () => new AggregateError([1], 'all')],
  ['buffers', () => [buffer, new Uint8Array(buffer, 2, 3), new DataView(buffer, 1, 2), new Float64Array(buffer), new Uint8Array(buffer).subarray(1)]],
  ['typed arrays', () => [Int8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, BigInt64Array, BigUint64Array].map((T) => new (T as any)(2))],
  ['a function', () => () => 1],
  ['a function within', () => ({ a: [1, function named() {}] })],
  ['a class itself', () => Custom],
  ['a symbol', () => Symbol('s')],
  ['a symbol within', () => ({ a: Symbol('s') })],
  ['a promise', () => Promise.resolve(1)],
  ['a weak map', () => new WeakMap()],
  ['a weak set', () => new WeakSet()],
  ['a weak reference', () => new WeakRef({})],
  ['a generator', () => (function* () {})()],
  ['a frozen object', () => Object.freeze({ a: 1 })],
];

const programs: [string, (api: Api, write: Write) => unknown][] = [
  ['an event is born', ({ Event }, write) => {
    const e = new Event('t', { bubbles: 1, cancelable: true });
    write(e.type, e.bubbles, e.cancelable, e.composed, e.defaultPrevented, e.target, e.currentTarget, e.eventPhase, e.returnValue, e.cancelBubble, e.isTrusted, e.composedPath().length, typeof e.timeStamp);
    e.preventDefault();
    write(e.defaultPrevented, e.returnValue, String(e), Object.prototype.toString.call(e));
    write(Event.NONE, Event.CAPTURING_PHASE, Event.AT_TARGET, Event.BUBBLING_PHASE);
    write(new Event(undefined).type, new Event(null).type, new Event(12).type);
    new Event('x', null);
    new Event('x', 5);
  }],
  ['what is not cancelable', ({ Event, EventTarget }, write) => {
    const t = new EventTarget();
    t.addEventListener('a', (e: any) => e.preventDefault());
    write(t.dispatchEvent(new Event('a')), t.dispatchEvent(new Event('a', { cancelable: true })));
  }],
  ['the order of listeners', ({ Event, EventTarget }, write) => {
    const t = new EventTarget();
    const twice = () => write('twice');
    t.addEventListener('a', twice);
    t.addEventListener('a', twice);
    t.addEventListener('a', twice, { once: true });
    t.addEventListener('a', function (this: unknown) { write('this', this === t); });
    t.addEventListener('a', { handleEvent(e: any) { write('object', e.type, this === undefined); } });
    t.addEventListener('a', () => t.removeEventListener('a', last));
    const last = () => write('last');
    t.addEventListener('a', last);
    t.addEventListener('a', null);
    t.dispatchEvent(new Event('a'));
    write('again');
    t.dispatchEvent(new Event('a'));
  }],
  ['during a dispatch', ({ Event, EventTarget }, write) => {
    const t = new EventTarget();
    const e = new Event('a', { cancelable: true });
    t.addEventListener('a', (x: any) => {
      write(x === e, x.target === t, x.currentTarget === t, x.eventPhase, x.composedPath().length, x.composedPath()[0] === t);
      x.stopImmediatePropagation();
    });
    t.addEventListener('a', () => write('never'));
    t.dispatchEvent(e);
    write(e.target === t, e.currentTarget, e.eventPhase, e.composedPath().length);
    const b = new EventTarget();
    b.addEventListener('b', (x: any) => x.stopPropagation());
    b.addEventListener('b', () => write('still'));
    b.dispatchEvent(new Event('b'));
  }],
  ['once', ({ Event, EventTarget }, write) => {
    const t = new EventTarget();
    t.addEventListener('a', () => { write('once'); t.dispatchEvent(new Event('a')); }, { once: true });
    t.dispatchEvent(new Event('a'));
    t.dispatchEvent(new Event('a'));
  }],
  ['listeners that a signal removes', ({ Event, EventTarget, AbortController, AbortSignal }, write) => {
    const t = new EventTarget();
    const c = new AbortController();
    t.addEventListener('a', () => write('heard'), { signal: c.signal });
    t.addEventListener('a', () => write('aborted before'), { signal: AbortSignal.abort() });
    t.dispatchEvent(new Event('a'));
    c.abort();
    t.dispatchEvent(new Event('a'));
  }],
  ['custom events', ({ CustomEvent, Event }, write) => {
    const e = new CustomEvent('a', { detail: { x: 1 }, cancelable: true });
    write(e.detail.x, e.cancelable, e instanceof Event, new CustomEvent('b').detail, Object.prototype.toString.call(e));
  }],
  ['a controller', ({ AbortController }, write) => {
    const c = new AbortController();
    write(c.signal === c.signal, c.signal.aborted, c.signal.reason, c.signal.onabort);
    c.signal.addEventListener('abort', (e: any) => write('listener', e.type, e.isTrusted, c.signal.aborted, e.bubbles, e.cancelable));
    c.signal.onabort = function (this: unknown) { write('handler', this === c.signal); };
    c.signal.throwIfAborted();
    c.abort();
    c.abort('again');
    write(c.signal.reason.name, c.signal.reason.code, c.signal.aborted);
    c.signal.throwIfAborted();
  }],
  ['reasons', ({ AbortController, AbortSignal }, write) => {
    for (const reason of [null, 0, 'r', undefined]) {
      const c = new AbortController();
      c.abort(reason);
      write(reason === undefined ? c.signal.reason.name : c.signal.reason, AbortSignal.abort(reason).aborted);
    }
    const reason = new Error('mine');
    AbortSignal.abort(reason).throwIfAborted();
  }],
  ['the place of onabort', ({ AbortController }, write) => {
    const c = new AbortController();
    c.signal.onabort = () => write('first');
    c.signal.addEventListener('abort', () => write('second'));
    c.signal.onabort = () => write('first, replaced');
    c.abort();
  }],
  ['timeouts', async ({ AbortSignal }, write) => {
    const s = AbortSignal.timeout(1);
    write(s.aborted);
    for (let i = 0; i < 1000 && !s.aborted; i++) await new Promise((r) => (globalThis as any).setTimeout(r, 1));
  }],
  ['DOMException', ({ DOMException }, write) => {
    for (const args of [[], ['m'], ['m', 'AbortError'], ['m', 'Unknown'], [5, 'DataCloneError'], ['m', { name: 'NotFoundError' }]] as any[]) {
      const e = new DOMException(...args);
      write(e.name, e.message, e.code, String(e), Object.hasOwn(e, 'message'), e instanceof Error, Object.prototype.toString.call(e));
    }
    write(Object.keys(DOMException).length, DOMException.ABORT_ERR, DOMException.prototype.TIMEOUT_ERR, DOMException.length, DOMException.name);
  }],
  ['a transfer', ({ structuredClone }, write) => {
    const b = new Uint8Array([1, 2, 3]).buffer;
    const view = new Uint8Array(b, 1);
    const copy = structuredClone({ view, b }, { transfer: [b] });
    write(portrait(copy), b.byteLength, view.length, copy.view.buffer === copy.b);
    const twice = new ArrayBuffer(1);
    structuredClone(1, { transfer: [twice, twice] });
  }],
  ['cloning nothing', ({ structuredClone }) => structuredClone()],
  ...[0, 1, 55, 56, 63, 64, 65, 111, 112, 119, 120, 127, 128, 129, 1000].map((n): [string, (api: Api, write: Write) => unknown] => [`digests of ${n} bytes`, async ({ crypto }, write) => {
    const data = Uint8Array.from({ length: n }, (_, i) => (i * 31 + n) & 255);
    for (const name of ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512']) {
      write([...new Uint8Array(await crypto.subtle.digest(name, data))].join());
      if (n === 0) continue;
      const key = await crypto.subtle.importKey('raw', data, { name: 'HMAC', hash: name }, true, ['sign', 'verify']);
      write(key.type, key.extractable, key.algorithm.name, key.algorithm.length, key.usages.join(), Object.entries(await crypto.subtle.exportKey('jwk', key)).sort().join());
      write([...new Uint8Array(await crypto.subtle.sign('HMAC', key, data))].join());
    }
  }]),
];

/** What a program writes, and how it ends. */
async function record(api: Api, program: (api: Api, write: Write) => unknown): Promise<string> {
  const lines: string[] = [];
  try {
    await program(api, (...values) => lines.push(values.map(String).join(' ')));
  } catch (error: any) {
    lines.push(`threw ${error?.name ?? error}`);
  }
  return lines.join('\n');
}

export const run = suite((test) => {
  for (const [name, make] of values) {
    test(`cloning ${name}`, async () => {
      const clone = (api: Api, write: Write) => write(portrait(api.structuredClone(make())));
      const got = await record(ours, clone);
      ok(got !== '', 'it ends');
      if (peer) equal(got, await record(peer, clone));
    });
  }
  for (const [name, program] of programs) {
    test(name, async () => {
      const got = await record(ours, program);
      if (peer) equal(got, await record(peer, program));
    });
  }
});
