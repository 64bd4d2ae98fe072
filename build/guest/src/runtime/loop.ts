// One exported call from entry to result. The glue enters, lets every promise job run, and
// then takes turns until the call has settled: each turn fires one timer, after waiting
// for it. A call that has not settled with no timer left never will.

import * as native from '../native.ts';
import { host, isUnsupported } from '../ctx/host.ts';
import { runCallEnd } from '../web/call-end.ts';
import { beginReports, lastReported, preview, report } from '../web/report.ts';
import { endCall, fireNext, nextDue, setLasting, shift } from '../web/timers.ts';
import { CallError, errorText } from './errors.ts';

/** What the loop needs of the runtime. */
export interface Calls {
  /** Renews what must differ between instances. */
  renew(): void;
  /**
   * Starts a call: it calls wake, which renews once, and passes on what the handler returned. A call
   * of a kind that may be made before the memory image is taken does neither, and is answered at once with JSON text.
   */
  begin(kind: number, input: string, wake: () => void, follow: Follow): string | undefined;
  /** Names the call in progress for messages: "the tool x". */
  current(): string;
}

/**
 * Takes what a handler returned, a promise or not, and how to make JSON text of what becomes of it. That may itself
 * take a promise.
 */
export type Follow = <T>(returned: T, text: (value: Awaited<T>) => string | Promise<string>) => void;

const done = 0, failed = 1, goOn = 2;

// How the call in progress stands.
const pending = 0, kept = 1, broken = 2;

/** Hands the three entry points to the glue. */
export function run(calls: Calls): void {
  let awake = false;
  const builtAt = native.monotonic();
  let state = pending;
  let outcome: unknown; // the text, or the error
  let turnOf = 0;
  const unhandled = new Map<unknown, unknown>();

  function wake(): void {
    if (awake) return;
    shift(native.monotonic() - builtAt);
    calls.renew();
    awake = true;
  }

  function settle(how: number, what: unknown): void {
    state = how;
    outcome = what;
  }

  // Await rests on nothing that other code may have replaced, and costs less than then: it makes no promise that
  // nobody waits for. What is awaited was started before, so that its rejection finds somebody there.
  async function follow(returned: unknown, text: (value: never) => string | Promise<string>): Promise<void> {
    const mine = turnOf; // a promise of an earlier call may not settle a later one
    let how = kept, what: unknown;
    try {
      what = text((await returned) as never);
      if (typeof what !== 'string') what = await what;
    } catch (error) {
      how = broken;
      what = error;
    }
    if (mine === turnOf) settle(how, what);
  }

  function enter(kind: number): void {
    settle(pending, undefined);
    turnOf++;
    try {
      beginReports();
      setLasting(false);
      const text = calls.begin(kind, native.input(), wake, follow);
      if (text !== undefined) settle(kept, text);
    } catch (error) {
      settle(broken, error);
    }
  }

  function turn(): number {
    if (unhandled.size > 0) logRejections();
    if (state === pending) {
      const due = nextDue();
      if (due === undefined) settle(broken, neverSettled());
      else {
        try {
          wait(due);
          fireNext();
          return goOn;
        } catch (error) {
          settle(broken, error);
        }
      }
    }
    endCall();
    runCallEnd();
    setLasting(true);
    turnOf++;
    const how = state, what = outcome;
    settle(pending, undefined);
    if (how === kept) {
      native.output(what as string);
      return done;
    }
    native.fail(errorText(what, calls.current()));
    return failed;
  }

  function rejection(promise: unknown, reason: unknown, handled: boolean): void {
    if (handled) unhandled.delete(promise);
    else unhandled.set(promise, reason);
  }

  function logRejections(): void {
    for (const reason of unhandled.values()) report('unhandled rejection', reason);
    unhandled.clear();
  }

  function neverSettled(): CallError {
    const last = lastReported();
    const hint = last ? ` An exception nobody caught may be why: ${preview(last.error instanceof Error ? last.error.message : last.error)}.` : '';
    return new CallError('never-settled', `${calls.current()} never settles: it awaits a promise, and no timer or host call is left that could resolve it.${hint}`);
  }

  // The glue's last resort: what ended JavaScript and could not be caught in it, an interrupt say.
  native.register(enter, turn, rejection, (error) => native.fail(errorText(error)));
}

/** Waits until the clock shows a moment, in the host if it can. */
function wait(due: number): void {
  let sleeps = true;
  for (;;) {
    const left = due - native.monotonic();
    if (left <= 0) return;
    if (!sleeps) continue;
    try {
      // A host whose patience ends answers early; a timer never fires early.
      host({ op: 'timer.sleep', ms: Math.ceil(left) } as { op: string });
    } catch (error) {
      if (!isUnsupported(error)) throw error;
      sleeps = false;
    }
  }
}
