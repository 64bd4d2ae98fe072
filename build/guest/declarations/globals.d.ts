// The global scope of the sandbox: JavaScript itself, and these Web APIs. There is no DOM
// and there is nothing of Node but Buffer.

declare const self: typeof globalThis;

// --- console -------------------------------------------------------------------------------

interface Console {
  log(...data: any[]): void;
  info(...data: any[]): void;
  debug(...data: any[]): void;
  warn(...data: any[]): void;
  error(...data: any[]): void;
  trace(...data: any[]): void;
  assert(condition?: unknown, ...data: any[]): void;
  dir(item?: any): void;
  dirxml(...data: any[]): void;
  table(data?: any, columns?: string[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  time(label?: string): void;
  timeLog(label?: string, ...data: any[]): void;
  timeEnd(label?: string): void;
  group(...data: any[]): void;
  groupCollapsed(...data: any[]): void;
  groupEnd(): void;
  clear(): void;
}
/** Prints to the package's log: log and info as info, the others by their name. */
declare const console: Console;

// --- timers and time -----------------------------------------------------------------------

/** Runs a callback once, after at least this many milliseconds. What a call leaves behind is dropped when it ends. */
declare function setTimeout(callback: (arg: void) => void, delay?: number): number;
declare function setTimeout<A extends any[]>(callback: (...args: A) => void, delay?: number, ...args: A): number;
declare function clearTimeout(id?: number): void;
declare function setInterval(callback: (arg: void) => void, delay?: number): number;
declare function setInterval<A extends any[]>(callback: (...args: A) => void, delay?: number, ...args: A): number;
declare function clearInterval(id?: number): void;
declare function setImmediate(callback: (arg: void) => void): number;
declare function setImmediate<A extends any[]>(callback: (...args: A) => void, ...args: A): number;
declare function clearImmediate(id?: number): void;
declare function queueMicrotask(callback: () => void): void;
/** Writes an exception to the log, as one that nobody caught. */
declare function reportError(error: any): void;

interface Performance {
  /** Milliseconds since timeOrigin. */
  now(): number;
  readonly timeOrigin: number;
  toJSON(): any;
}
declare const performance: Performance;

// --- exceptions, events, aborting ------------------------------------------------------------

interface DOMException extends Error {
  readonly name: string;
  readonly message: string;
  readonly code: number;
}
declare var DOMException: {
  prototype: DOMException;
  new (message?: string, nameOrOptions?: string | { name?: string; cause?: unknown }): DOMException;
};

interface EventInit {
  bubbles?: boolean;
  cancelable?: boolean;
  composed?: boolean;
}
interface Event {
  readonly type: string;
  readonly target: EventTarget | null;
  readonly currentTarget: EventTarget | null;
  readonly eventPhase: number;
  readonly bubbles: boolean;
  readonly cancelable: boolean;
  readonly composed: boolean;
  readonly defaultPrevented: boolean;
  readonly isTrusted: boolean;
  readonly timeStamp: number;
  composedPath(): EventTarget[];
  preventDefault(): void;
  stopPropagation(): void;
  stopImmediatePropagation(): void;
}
declare var Event: {
  prototype: Event;
  new (type: string, init?: EventInit): Event;
  readonly NONE: 0;
  readonly CAPTURING_PHASE: 1;
  readonly AT_TARGET: 2;
  readonly BUBBLING_PHASE: 3;
};

interface CustomEventInit<T = any> extends EventInit {
  detail?: T;
}
interface CustomEvent<T = any> extends Event {
  readonly detail: T;
}
declare var CustomEvent: {
  prototype: CustomEvent;
  new <T>(type: string, init?: CustomEventInit<T>): CustomEvent<T>;
};

interface EventListener {
  (event: Event): void;
}
interface EventListenerObject {
  handleEvent(event: Event): void;
}
type EventListenerOrEventListenerObject = EventListener | EventListenerObject;
interface EventListenerOptions {
  capture?: boolean;
}
interface AddEventListenerOptions extends EventListenerOptions {
  once?: boolean;
  passive?: boolean;
  signal?: AbortSignal;
}
interface EventTarget {
  addEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: AddEventListenerOptions | boolean): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject | null, options?: EventListenerOptions | boolean): void;
  dispatchEvent(event: Event): boolean;
}
declare var EventTarget: {
  prototype: EventTarget;
  new (): EventTarget;
};

interface AbortSignal extends EventTarget {
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((this: AbortSignal, event: Event) => any) | null;
  throwIfAborted(): void;
}
declare var AbortSignal: {
  prototype: AbortSignal;
  abort(reason?: any): AbortSignal;
  timeout(milliseconds: number): AbortSignal;
  any(signals: Iterable<AbortSignal>): AbortSignal;
};
interface AbortController {
  readonly signal: AbortSignal;
  abort(reason?: any): void;
}
declare var AbortController: {
  prototype: AbortController;
  new (): AbortController;
};

// --- data ------------------------------------------------------------------------------------

type BufferSource = ArrayBufferView | ArrayBuffer;

interface StructuredSerializeOptions {
  transfer?: any[];
}
/** A deep copy, cycles and most built-in types included. */
declare function structuredClone<T = any>(value: T, options?: StructuredSerializeOptions): T;

declare function atob(data: string): string;
declare function btoa(data: string): string;

interface TextEncoder {
  readonly encoding: string;
  encode(input?: string): Uint8Array<ArrayBuffer>;
  encodeInto(source: string, destination: Uint8Array): { read: number; written: number };
}
declare var TextEncoder: {
  prototype: TextEncoder;
  new (): TextEncoder;
};
interface TextDecoderOptions {
  fatal?: boolean;
  ignoreBOM?: boolean;
}
interface TextDecodeOptions {
  stream?: boolean;
}
interface TextDecoder {
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(input?: BufferSource, options?: TextDecodeOptions): string;
}
declare var TextDecoder: {
  prototype: TextDecoder;
  new (label?: string, options?: TextDecoderOptions): TextDecoder;
};

interface BlobPropertyBag {
  type?: string;
  endings?: 'transparent' | 'native';
}
type BlobPart = BufferSource | Blob | string;
interface Blob {
  readonly size: number;
  readonly type: string;
  arrayBuffer(): Promise<ArrayBuffer>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  slice(start?: number, end?: number, contentType?: string): Blob;
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  text(): Promise<string>;
}
declare var Blob: {
  prototype: Blob;
  new (parts?: BlobPart[], options?: BlobPropertyBag): Blob;
};
interface FilePropertyBag extends BlobPropertyBag {
  lastModified?: number;
}
interface File extends Blob {
  readonly name: string;
  readonly lastModified: number;
}
declare var File: {
  prototype: File;
  new (parts: BlobPart[], name: string, options?: FilePropertyBag): File;
};

type FormDataEntryValue = File | string;
interface FormData {
  append(name: string, value: string | Blob, filename?: string): void;
  delete(name: string): void;
  get(name: string): FormDataEntryValue | null;
  getAll(name: string): FormDataEntryValue[];
  has(name: string): boolean;
  set(name: string, value: string | Blob, filename?: string): void;
  forEach(callback: (value: FormDataEntryValue, key: string, parent: FormData) => void, thisArg?: any): void;
  entries(): IterableIterator<[string, FormDataEntryValue]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<FormDataEntryValue>;
  [Symbol.iterator](): IterableIterator<[string, FormDataEntryValue]>;
}
declare var FormData: {
  prototype: FormData;
  new (): FormData;
};

// --- streams -----------------------------------------------------------------------------------

interface ReadableStreamReadDoneResult<T> {
  done: true;
  value: T | undefined;
}
interface ReadableStreamReadValueResult<T> {
  done: false;
  value: T;
}
type ReadableStreamReadResult<T> = ReadableStreamReadValueResult<T> | ReadableStreamReadDoneResult<T>;
interface ReadableStreamDefaultReader<R = any> {
  readonly closed: Promise<void>;
  cancel(reason?: any): Promise<void>;
  read(): Promise<ReadableStreamReadResult<R>>;
  releaseLock(): void;
}
interface ReadableStreamDefaultController<R = any> {
  readonly desiredSize: number | null;
  close(): void;
  enqueue(chunk?: R): void;
  error(reason?: any): void;
}
interface UnderlyingSource<R = any> {
  start?(controller: ReadableStreamDefaultController<R>): any;
  pull?(controller: ReadableStreamDefaultController<R>): void | PromiseLike<void>;
  cancel?(reason?: any): void | PromiseLike<void>;
  type?: undefined;
}
interface QueuingStrategy<T = any> {
  highWaterMark?: number;
  size?(chunk: T): number;
}
interface ReadableStream<R = any> {
  readonly locked: boolean;
  cancel(reason?: any): Promise<void>;
  getReader(): ReadableStreamDefaultReader<R>;
  tee(): [ReadableStream<R>, ReadableStream<R>];
  values(options?: { preventCancel?: boolean }): AsyncIterableIterator<R>;
  [Symbol.asyncIterator](options?: { preventCancel?: boolean }): AsyncIterableIterator<R>;
}
declare var ReadableStream: {
  prototype: ReadableStream;
  new <R = any>(source?: UnderlyingSource<R>, strategy?: QueuingStrategy<R>): ReadableStream<R>;
  from<R>(source: Iterable<R> | AsyncIterable<R>): ReadableStream<R>;
};

// --- URLs --------------------------------------------------------------------------------------

interface URLSearchParams {
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  toString(): string;
  forEach(callback: (value: string, key: string, parent: URLSearchParams) => void, thisArg?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare var URLSearchParams: {
  prototype: URLSearchParams;
  new (init?: Iterable<[string, string] | string[]> | Record<string, string> | string | URLSearchParams): URLSearchParams;
};
interface URL {
  hash: string;
  host: string;
  hostname: string;
  href: string;
  toString(): string;
  readonly origin: string;
  password: string;
  pathname: string;
  port: string;
  protocol: string;
  search: string;
  readonly searchParams: URLSearchParams;
  username: string;
  toJSON(): string;
}
declare var URL: {
  prototype: URL;
  new (url: string | URL, base?: string | URL): URL;
  canParse(url: string | URL, base?: string | URL): boolean;
  parse(url: string | URL, base?: string | URL): URL | null;
};

interface URLPatternInit {
  protocol?: string;
  username?: string;
  password?: string;
  hostname?: string;
  port?: string;
  pathname?: string;
  search?: string;
  hash?: string;
  baseURL?: string;
}
interface URLPatternOptions {
  ignoreCase?: boolean;
}
interface URLPatternComponentResult {
  input: string;
  groups: Record<string, string | undefined>;
}
interface URLPatternResult {
  inputs: (string | URLPatternInit)[];
  protocol: URLPatternComponentResult;
  username: URLPatternComponentResult;
  password: URLPatternComponentResult;
  hostname: URLPatternComponentResult;
  port: URLPatternComponentResult;
  pathname: URLPatternComponentResult;
  search: URLPatternComponentResult;
  hash: URLPatternComponentResult;
}
interface URLPattern {
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
  readonly hasRegExpGroups: boolean;
  test(input?: string | URL | URLPatternInit, base?: string | URL): boolean;
  exec(input?: string | URL | URLPatternInit, base?: string | URL): URLPatternResult | null;
}
declare var URLPattern: {
  prototype: URLPattern;
  new (input: string | URL | URLPatternInit, base: string | URL, options?: URLPatternOptions): URLPattern;
  new (input?: string | URL | URLPatternInit, options?: URLPatternOptions): URLPattern;
};

// --- fetch -------------------------------------------------------------------------------------

type HeadersInit = Iterable<[string, string] | string[]> | Record<string, string> | Headers;
interface Headers {
  append(name: string, value: string): void;
  delete(name: string): void;
  get(name: string): string | null;
  getSetCookie(): string[];
  has(name: string): boolean;
  set(name: string, value: string): void;
  forEach(callback: (value: string, key: string, parent: Headers) => void, thisArg?: any): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
declare var Headers: {
  prototype: Headers;
  new (init?: HeadersInit): Headers;
};

type BodyInit = ReadableStream | Blob | BufferSource | FormData | URLSearchParams | string;
interface Body {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
  blob(): Promise<Blob>;
  bytes(): Promise<Uint8Array<ArrayBuffer>>;
  formData(): Promise<FormData>;
  json(): Promise<any>;
  text(): Promise<string>;
}

type RequestInfo = Request | string;
type RequestRedirect = 'follow' | 'error' | 'manual';
interface RequestInit {
  method?: string;
  headers?: HeadersInit;
  body?: BodyInit | null;
  signal?: AbortSignal | null;
  redirect?: RequestRedirect;
  duplex?: 'half';
}
interface Request extends Body {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly redirect: RequestRedirect;
  readonly signal: AbortSignal;
  clone(): Request;
}
declare var Request: {
  prototype: Request;
  new (input: RequestInfo | URL, init?: RequestInit): Request;
};

type ResponseType = 'basic' | 'cors' | 'default' | 'error' | 'opaque' | 'opaqueredirect';
interface ResponseInit {
  status?: number;
  statusText?: string;
  headers?: HeadersInit;
}
interface Response extends Body {
  readonly headers: Headers;
  readonly ok: boolean;
  readonly redirected: boolean;
  readonly status: number;
  readonly statusText: string;
  readonly type: ResponseType;
  readonly url: string;
  clone(): Response;
}
declare var Response: {
  prototype: Response;
  new (body?: BodyInit | null, init?: ResponseInit): Response;
  error(): Response;
  json(data: any, init?: ResponseInit): Response;
  redirect(url: string | URL, status?: number): Response;
};

/** One HTTP request, to a host in the manifest's network.allowedHosts. The call waits for the answer. */
declare function fetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response>;

// --- crypto ------------------------------------------------------------------------------------

type AlgorithmIdentifier = string | { name: string };
type KeyUsage = 'sign' | 'verify';
interface HmacImportParams {
  name: 'HMAC';
  hash: AlgorithmIdentifier;
  length?: number;
}
interface JsonWebKey {
  kty?: string;
  k?: string;
  alg?: string;
  ext?: boolean;
  key_ops?: string[];
}
interface CryptoKey {
  readonly type: 'secret';
  readonly extractable: boolean;
  readonly algorithm: { name: string; hash: { name: string }; length: number };
  readonly usages: KeyUsage[];
}
/** Digests (SHA-1, SHA-256, SHA-384, SHA-512) and HMAC. The rest of Web Cryptography is not in the sandbox. */
interface SubtleCrypto {
  digest(algorithm: AlgorithmIdentifier, data: BufferSource): Promise<ArrayBuffer>;
  importKey(format: 'raw', key: BufferSource, algorithm: HmacImportParams, extractable: boolean, usages: readonly KeyUsage[]): Promise<CryptoKey>;
  importKey(format: 'jwk', key: JsonWebKey, algorithm: HmacImportParams, extractable: boolean, usages: readonly KeyUsage[]): Promise<CryptoKey>;
  generateKey(algorithm: HmacImportParams, extractable: boolean, usages: readonly KeyUsage[]): Promise<CryptoKey>;
  exportKey(format: 'raw', key: CryptoKey): Promise<ArrayBuffer>;
  exportKey(format: 'jwk', key: CryptoKey): Promise<JsonWebKey>;
  sign(algorithm: AlgorithmIdentifier, key: CryptoKey, data: BufferSource): Promise<ArrayBuffer>;
  verify(algorithm: AlgorithmIdentifier, key: CryptoKey, signature: BufferSource, data: BufferSource): Promise<boolean>;
}
interface Crypto {
  readonly subtle: SubtleCrypto;
  getRandomValues<T extends ArrayBufferView>(array: T): T;
  randomUUID(): `${string}-${string}-${string}-${string}-${string}`;
}
declare const crypto: Crypto;
