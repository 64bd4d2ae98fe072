// What happens to an exception that nobody can catch: one thrown by a timer, a listener
// or a microtask. HTML Standard, 8.1.4.6 "Runtime script errors": it is reported, and the
// code that follows runs on.

import { log, LogLevel } from '../native.ts';
import { jsonStringify } from '../primordials.ts';

let last: unknown;
let reported = false;

/** Writes an exception to the log as an error. */
export function reportError(error: unknown): void {
  last = error;
  reported = true;
  report('uncaught exception', error);
}

/** Writes a heading and an exception with its stack to the log. */
export function report(heading: string, error: unknown): void {
  try {
    log(LogLevel.error, `${heading}: ${describeError(error)}`);
  } catch {
    // While the package is being built there is no log.
  }
}

/** The exception reported last in this call, if there was one. */
export const lastReported = (): { error: unknown } | undefined => (reported ? { error: last } : undefined);

/** Forgets what was reported in the call before. */
export function beginReports(): void {
  last = undefined;
  reported = false;
}

/** An exception as text: name, message, stack and causes, whatever was thrown. */
export function describeError(error: unknown): string {
  let text = '';
  for (let depth = 0; ; depth++) {
    const { name, message, stack } = errorParts(error);
    const head = message ? `${name}: ${message}` : name;
    // Some engines begin the stack with the message, ours does not.
    text += stack.startsWith(name) ? stack : stack ? `${head}\n${stack}` : head;
    const several = depth < 8 ? aggregated(error) : [];
    several.forEach((one, i) => (text = `${text.trimEnd()}\nError ${i + 1} of ${several.length}: ${describeError(one)}`));
    const inner = depth < 8 ? cause(error) : undefined;
    if (inner === undefined) return text.trimEnd();
    text = `${text.trimEnd()}\nCaused by: `;
    error = inner;
  }
}

/** The parts of whatever was thrown; never throws itself. */
export function errorParts(error: unknown): { name: string; message: string; stack: string } {
  try {
    if (error instanceof Error || isErrorLike(error)) {
      const { name, message, stack } = error as Error;
      return { name: String(name || 'Error'), message: String(message ?? ''), stack: typeof stack === 'string' ? stack : '' };
    }
    // The engine throws null when there is not even memory for an error.
    if (error === null) return { name: 'Error', message: 'null was thrown, or there was no memory left', stack: '' };
    return { name: 'Error', message: `the thrown value is not an Error but ${preview(error)}`, stack: '' };
  } catch {
    return { name: 'Error', message: 'the thrown value cannot be read', stack: '' };
  }
}

const isErrorLike = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof (value as Error).message === 'string' && typeof (value as Error).name === 'string';

export function cause(error: unknown): unknown {
  try {
    return error instanceof Error ? error.cause : undefined;
  } catch {
    return undefined;
  }
}

/** The first few of the errors that an AggregateError stands for. */
export function aggregated(error: unknown): unknown[] {
  try {
    return error instanceof AggregateError && Array.isArray(error.errors) ? error.errors.slice(0, 8).filter((one) => !(one instanceof AggregateError)) : [];
  } catch {
    return [];
  }
}

/** A short text for any value. */
export function preview(value: unknown): string {
  let text: string;
  try {
    if (typeof value === 'string') text = jsonStringify(value);
    else if (typeof value === 'function') text = `a function${value.name ? ` (${value.name})` : ''}`;
    else if (typeof value === 'object' && value !== null) text = jsonStringify(value) ?? Object.prototype.toString.call(value);
    else text = String(value);
  } catch {
    text = Object.prototype.toString.call(value);
  }
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
