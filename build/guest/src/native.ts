// The one door to the engine's glue. The glue leaves a single function on globalThis;
// this module keeps it to itself and takes it away before any other code can see it.
// Every module that needs the outside imports from here, which also makes this the first
// module to be evaluated.

type NativeFunction = (op: number, a?: unknown, b?: unknown, c?: unknown, d?: unknown) => any;

const door = '__neuralis_native';
const scope = globalThis as Record<string, any>;
const missing: NativeFunction = () => {
  throw new Error('this code only runs inside a Neuralis sandbox: the engine function is missing');
};
const call: NativeFunction = typeof scope[door] === 'function' ? scope[door] : missing;
delete scope[door];

/** The engine function itself, for code that names an operation by its number. */
export const native = call;

/** Levels of the log, as the engine numbers them. */
export const enum LogLevel { trace = 0, debug = 1, info = 2, warn = 3, error = 4 }

/** Starts an exported call: 0 tool, 1 route, 2 lifecycle. */
export type Enter = (kind: number) => void;
/** Takes one step of the event loop: 0 done, 1 failed, 2 go on. */
export type Turn = () => number;
/** Told when a promise is rejected without a handler, and when it gets one after all. */
export type Rejection = (promise: unknown, reason: unknown, handled: boolean) => void;

/** Told what ended a call beyond the reach of catch, to report it as the call's error. */
export type Uncaught = (error: unknown) => void;

/** The text the host passed to this call. */
export const input = (): string => call(0);
/** Sets the result of this call. */
export const output = (text: string): void => call(1, text);
/** Sets the error of this call. */
export const fail = (text: string): void => call(2, text);
/** One request to the host port, JSON in and JSON out. Blocks until the host answers. */
export const hostCall = (request: string): string => call(3, request);
/** Writes one entry to the log of the plug-in's host. */
export const log = (level: LogLevel, text: string): void => call(4, level, text.toWellFormed());
/** A value of the plug-in's configuration. */
export const configGet = (key: string): string | undefined => call(5, key);
/** A plug-in variable. */
export const varGet = (key: string): ArrayBuffer | undefined => call(6, key);
/** Sets a plug-in variable, or removes it when value is undefined. */
export const varSet = (key: string, value: ArrayBuffer | undefined): void => call(7, key, value);
/** One HTTP request; request is the JSON of {url, method, headers}. Blocks; answers the body. */
export const httpRequest = (request: string, body: ArrayBuffer | undefined): ArrayBuffer => call(8, request, body);
/** The status of the last HTTP request. */
export const httpStatus = (): number => call(9);
/** The headers of the last HTTP response as a JSON object, where the host gives them. */
export const httpHeaders = (): string | undefined => call(10);
/** Up to 65536 random bytes. The same ones on every run while a package is being built. */
export const randomBytes = (count: number): ArrayBuffer => call(11, count);
/** Milliseconds of a clock that never goes back, with a fraction. */
export const monotonic = (): number => call(12);
/** UTF-8 of a string without lone surrogates. */
export const utf8Encode = (text: string): ArrayBuffer => call(13, text);
/** Text of bytes that are valid UTF-8. */
export const utf8Decode = (bytes: ArrayBuffer, offset: number, length: number): string => call(14, bytes, offset, length);
/** The lowest level the host's log keeps. */
export const logLevel = (): number => call(15);
/** Hands the entry points of the runtime to the glue. */
export const register = (enter: Enter, turn: Turn, rejection: Rejection, uncaught: Uncaught): void =>
  call(16, enter, turn, rejection, uncaught);
/** Milliseconds since 1970, with a fraction. */
export const wallclock = (): number => call(17);
