// The engine function on top of what Extism's js-pdk offers, for bundles that its compiler
// extism-js makes into plug-ins. It is evaluated before native.ts, which takes the function
// away, and is in no other bundle.
//
// Two things are different there. An exported function is over when it returns, and promise
// jobs run too late to be part of the answer; so Promise is our own (extism-js/promise.ts), the
// bundler turns async functions into generators that use it, and its jobs are run here. And the
// only way to fail is to throw: the message of the error is then our JSON text.

import { installPromise, runJobs } from './extism-js/promise.ts';
import { places } from './extism-js/places.ts';
import type { Enter, Rejection, Turn } from './native.ts';

// Not by their names, which would mean the Web APIs of the bundle.
const outer = globalThis as Record<string, any>;
const place = places(String(outer['__neuralis_origin'] ?? ''));
delete outer['__neuralis_origin'];
const { Host, Memory, Config, Var, Http } = outer;
const outerConsole = outer['console'], outerCrypto = outer['crypto'], randomOf = outer['__getRandomBytes'], OuterDate = outer['Date'];
const encoder = new outer['TextEncoder']();
const decoder = new outer['TextDecoder']();

let awake = false; // false while the plug-in is being built
let failure = '';
let enter: Enter, turn: Turn, rejection: Rejection;
let latest = 0;
const removed = new Set<string>();

/** Bytes of whatever kind as an ArrayBuffer of just them. */
function bytes(value: ArrayBuffer | Uint8Array): ArrayBuffer {
  if (value instanceof ArrayBuffer) return value;
  return value.buffer.slice(value.byteOffset, value.byteOffset + value.byteLength) as ArrayBuffer;
}

const encode = (text: string): ArrayBuffer => bytes(encoder.encode(text));
const clock = (): number => new OuterDate().getTime();

function hostCall(request: string): string {
  const answer = Host.getFunctions().neuralis_host(Memory.fromString(request).offset);
  return Memory.find(answer).readString();
}

/** The js-pdk sends and receives text; anything else it would spoil without a word. */
function httpBody(body: ArrayBuffer | undefined): string | undefined {
  if (body === undefined) return undefined;
  const given = new Uint8Array(body);
  const text: string = decoder.decode(given);
  const again = new Uint8Array(encode(text));
  if (again.length !== given.length || again.some((byte, i) => byte !== given[i])) throw new TypeError('a plug-in made with extism-js can only send text as the body of a request');
  return text;
}

let response: { status: number; headers?: object } | undefined;
function httpRequest(request: string, body: ArrayBuffer | undefined): ArrayBuffer {
  const text = httpBody(body);
  const answer = text === undefined ? Http.request(JSON.parse(request)) : Http.request(JSON.parse(request), text);
  response = answer;
  return typeof answer.body === 'string' ? encode(answer.body) : bytes(answer.body);
}

function random(count: number): ArrayBuffer {
  if (outerCrypto?.getRandomValues) return outerCrypto.getRandomValues(new Uint8Array(count)).buffer;
  if (randomOf) return randomOf(count);
  throw new Error('this version of extism-js has no source of random numbers; use a newer one');
}

const levels = ['trace', 'debug', 'info', 'warn', 'error'];

function log(level: number, text: string): void {
  if (!awake) return; // there is no log yet
  const name = levels[level]!;
  (outerConsole[name] ?? outerConsole.log).call(outerConsole, text);
}

/** Bytes of a variable. The js-pdk cannot remove one, so this remembers which are gone. */
function varGet(key: string): ArrayBuffer | undefined {
  const value = removed.has(key) ? undefined : Var.getBytes(key);
  return value === null || value === undefined ? undefined : bytes(value);
}

function varSet(key: string, value: ArrayBuffer | undefined): void {
  if (value === undefined) removed.add(key);
  else {
    removed.delete(key);
    Var.set(key, value);
  }
}

// By the numbers that native.ts has.
const operations: ((a: any, b: any, c: any) => unknown)[] = [
  () => Host.inputString(),
  (text) => void Host.outputString(text),
  (text) => void (failure = text),
  hostCall,
  log,
  (key) => Config.get(key) ?? undefined,
  varGet,
  varSet,
  httpRequest,
  () => response?.status ?? 0,
  () => (response?.headers ? JSON.stringify(response.headers) : undefined),
  random,
  () => (latest = Math.max(latest, clock())),
  encode,
  (buffer, offset, length) => decoder.decode(new Uint8Array(buffer, offset, length)),
  () => 0,
  (a, b, c) => void ([enter, turn, rejection] = [a, b, c]),
  clock,
];
const needHost = new Set([0, 1, 2, 3, 5, 6, 7, 8, 9, 10]);

outer['__neuralis_native'] = (op: number, a?: unknown, b?: unknown, c?: unknown): unknown => {
  if (!awake && needHost.has(op)) throw new Error('this is not available while the package is being built');
  return operations[op]!(a, b, c);
};
installPromise((promise, reason, handled) => rejection?.(promise, reason, handled));

// QuickJS has these; the engines of older versions have not.
(String.prototype as any).toWellFormed ??= function (this: string) {
  return String(this).replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');
};

/** The instances of a plug-in share what its engine was seeded with. */
function seed(): void {
  Math.random = () => {
    const [high, low] = new Uint32Array(random(8));
    return ((high! >>> 5) * 2 ** 26 + (low! >>> 6)) / 2 ** 53;
  };
}

/** One exported call, from beginning to end. */
function serve(kind: number): number {
  if (!awake) seed();
  awake = true;
  enter(kind);
  runJobs();
  for (;;) {
    const state = turn();
    if (state === 0) return 0;
    if (state === 1) throw Object.assign(new Error(place(failure)), { stack: '' });
    runJobs();
  }
}

export const handleTool = (): number => serve(0);
export const handleRoute = (): number => serve(1);
export const handleLifecycle = (): number => serve(2);
