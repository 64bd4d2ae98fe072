// One exported call from entry to result. The glue enters, lets every promise job run, and
// then takes turns until the call has settled: each turn fires one timer, after waiting
// for it. A call that has not settled with no timer left never will.

import * as native from '../native.ts';
import { host, isUnsupported } from '../ctx/host.ts';
import { hasOwn, settled } from '../primordials.ts';
import { runCallEnd } from '../web/call-end.ts';
import { beginReports, lastReported, preview, report } from '../web/report.ts';
import { endCall, fireNext, nextDue, setLasting, shift } from '../web/timers.ts';
import { CallError, errorText } from './errors.ts';

/** What the loop needs of the runtime. */
export interface Calls {
  /** Renews what must differ between instances. */
  renew(): void;
  /**
   * Starts a call and answers its result as JSON text. It calls wake, which renews once, unless the
   * call is of a kind that may be made before the memory image is taken; such a call is answered at once.
   */
  begin(kind: number, input: string, wake: () => void): string | Promise<string>;
  /** Names the call in progress for messages: "the tool x". */
  current(): string;
}

const done = 0, failed = 1, goOn = 2;

/** Hands the three entry points to the glue. */
export function run(calls: Calls): void {
  let awake = false;
  const builtAt = native.monotonic();
  let outcome: { text: string } | { error: unknown } | undefined;
  let turnOf = 0;
  const unhandled = new Map<unknown, unknown>();

  function wake(): void {
    if (awake) return;
    shift(native.monotonic() - builtAt);
    calls.renew();
    awake = true;
  }

  function enter(kind: number): void {
    outcome = undefined;
    const mine = ++turnOf; // a promise of an earlier call may not settle this one
    const settle = (result: typeof outcome) => {
      if (mine === turnOf) outcome = result;
    };
    try {
      beginReports();
      setLasting(false);
      const answer = calls.begin(kind, native.input(), wake);
      if (typeof answer === 'string') settle({ text: answer });
      else settled(answer, (text) => settle({ text }), (error) => settle({ error }));
    } catch (error) {
      settle({ error });
    }
  }

  function turn(): number {
    logRejections();
    if (!outcome) {
      const due = nextDue();
      if (due === undefined) outcome = { error: neverSettled() };
      else {
        try {
          wait(due);
          fireNext();
          return goOn;
        } catch (error) {
          outcome = { error };
        }
      }
    }
    endCall();
    runCallEnd();
    setLasting(true);
    turnOf++;
    const result = outcome;
    outcome = undefined;
    if (hasOwn(result, 'text')) {
      native.output((result as { text: string }).text);
      return done;
    }
    native.fail(errorText((result as { error: unknown }).error, calls.current()));
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
