// What goes back to the host when a call fails: name, message, stack and a code, as JSON.

import { jsonStringify } from '../primordials.ts';
import { aggregated, cause, describeError, errorParts } from '../web/report.ts';

/** Codes of the errors that the guest itself gives. */
export type Code =
  | 'handler-error' // the author's code threw
  | 'init-failed' // the package's init threw
  | 'invalid-result' // what the handler returned is no JSON
  | 'never-settled' // the handler waits for something that will not come
  | 'unknown-tool'
  | 'unknown-hook'
  | 'invalid-request'; // what the host passed makes no sense

/** An error of the runtime itself, with its code. */
export class CallError extends Error {
  constructor(
    readonly code: Code,
    message: string,
    cause?: unknown,
  ) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/** The JSON text of an error for the host. who threw it, as in "the tool x". */
export function errorText(error: unknown, who = 'code'): string {
  const { name, message: plain, stack } = errorParts(error);
  // What is no Error does not know where it was made; who threw it is all that can be told.
  const message = plain.replace(/^the thrown value is not an Error/, `${who} threw something that is not an Error`);
  const own = isOwn(error);
  // The stack of the runtime's own errors is of no use to an author; that of a cause is.
  const inner = cause(error);
  const text = own ? (inner === undefined ? '' : describeError(inner)) : inner === undefined && aggregated(error).length === 0 ? stack : describeError(error);
  return jsonStringify({ name: own ? 'Error' : name, message, stack: text, code: own ? error.code : 'handler-error', ...causeCode(error) });
}

/** Never throws, which instanceof does for some proxies. */
function isOwn(error: unknown): error is CallError {
  try {
    return error instanceof CallError;
  } catch {
    return false;
  }
}

/** The code that the thrown error itself carries, such as one of the host's. */
function causeCode(error: unknown): { causeCode?: string } {
  try {
    const code = (error as { code?: unknown } | undefined)?.code;
    return typeof code === 'string' && !isOwn(error) ? { causeCode: code } : {};
  } catch {
    return {};
  }
}
