// The host port: one JSON request in, one JSON answer out. Everything ctx offers that
// is not the engine's own goes through here, so that errors and cancellation are
// understood in one place.

import { native } from '../native.ts';
import { jsonParse, jsonStringify } from '../primordials.ts';

/** An error the host answered with. Its code is one of the host's error codes. */
export class HostError extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
Object.defineProperty(HostError.prototype, 'name', { value: 'HostError', writable: true, configurable: true });

let cancelled: string | undefined;
let notify: ((reason: string) => void) | undefined;

/** Forgets the cancellation of the call before. */
export function beginCall(): void {
  cancelled = undefined;
  notify = undefined;
}

/** Why the host cancelled the call in progress, if it did. */
export const cancellation = (): string | undefined => cancelled;

/** Names the one who wants to know when the host cancels the call in progress. */
export function onCancel(listener: (reason: string) => void): void {
  notify = listener;
}

/** Sends one request and returns what the host answered under "ok". */
export function host<T = unknown>(request: { op: string }): T {
  return hostText<T>(jsonStringify(request));
}

/** Like host, for a request with one text beside its operation: that is most of them, and JSON.stringify takes long for an object. */
export function hostAbout<T = unknown>(op: string, name: string, about: string): T {
  if (typeof about !== 'string') return host<T>({ op, [name]: about });
  return hostText<T>(`{"op":"${op}","${name}":${jsonStringify(about)}}`);
}

// Every frame of the engine's between a handler and the host makes the call dearer.
const hostOperation = 3;

/** What the host answers that has nothing to say. */
const nothing = '{"ok":null}';

/** Like host, for a request that is already text. */
export function hostText<T = unknown>(request: string): T {
  const text: string = native(hostOperation, request);
  if (text === nothing) return null as T;
  const answer = jsonParse(text);
  if (typeof answer.cancelled === 'string' && cancelled === undefined) {
    cancelled = answer.cancelled as string;
    notify?.(cancelled);
  }
  if (answer.error) throw new HostError(String(answer.error.code), String(answer.error.message));
  return answer.ok;
}

/** Whether an error says that this host has no such operation. */
export const isUnsupported = (error: unknown): boolean => error instanceof HostError && error.code === 'unsupported';
