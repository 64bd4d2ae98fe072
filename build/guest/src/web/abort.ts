// AbortController and AbortSignal. DOM Standard, 3 "Aborting ongoing activities".

import { DOMException } from './domexception.ts';
import { addAbortAlgorithm, EventTarget, fire, type Event } from './event.ts';
import { finishInterface, requireArguments } from './interface.ts';
import { setTimeout } from './timers.ts';

type Handler = (this: AbortSignalClass, event: Event) => unknown;

/** Only code in this module can make a signal. */
const key = Symbol();

class AbortSignalClass extends EventTarget {
  #aborted = false;
  #reason: unknown = undefined;
  #algorithms = new Set<() => void>();
  #dependent = false;
  #sources = new Set<AbortSignalClass>();
  #dependents = new Set<AbortSignalClass>();
  #onabort: Handler | null = null;
  #listening = false;

  constructor(secret?: unknown) {
    if (secret !== key) throw new TypeError('Illegal constructor: use AbortController, or AbortSignal.abort, timeout or any');
    super();
  }

  static abort(reason?: unknown): AbortSignalClass {
    const signal = new AbortSignal(key);
    signal.#set(reason);
    return signal;
  }

  static timeout(milliseconds: unknown): AbortSignalClass {
    requireArguments('AbortSignal.timeout', arguments.length, 1);
    const wait = Math.trunc(Number(milliseconds));
    if (!(wait >= 0 && wait <= Number.MAX_SAFE_INTEGER)) throw new TypeError('AbortSignal.timeout: the time must be a number of milliseconds, not negative');
    const signal = new AbortSignal(key);
    // A longer wait than a timer can express is one that no call will see the end of.
    if (wait <= 0x7fffffff) setTimeout(() => abort(signal, new DOMException('The operation timed out.', 'TimeoutError')), wait);
    return signal;
  }

  static any(signals: unknown): AbortSignalClass {
    requireArguments('AbortSignal.any', arguments.length, 1);
    const list = [...(signals as Iterable<unknown>)];
    if (!list.every((signal) => signal instanceof AbortSignalClass)) throw new TypeError('AbortSignal.any: every member must be an AbortSignal');
    const result = new AbortSignal(key);
    const done = list.find((signal) => signal.aborted);
    if (done) {
      result.#set(done.reason);
      return result;
    }
    result.#dependent = true;
    // A signal that depends on others stands for them, so that no chain of signals grows.
    for (const signal of list) {
      for (const source of signal.#dependent ? signal.#sources : [signal]) {
        result.#sources.add(source);
        source.#dependents.add(result);
      }
    }
    return result;
  }

  /** "Signal abort" in the standard. */
  static [key](signal: AbortSignalClass, reason: unknown): void {
    if (signal.#aborted) return;
    signal.#set(reason);
    const followers = [...signal.#dependents].filter((follower) => !follower.#aborted);
    for (const follower of followers) follower.#set(signal.#reason);
    for (const one of [signal, ...followers]) one.#run();
  }

  #set(reason: unknown): void {
    this.#aborted = true;
    this.#reason = reason === undefined ? new DOMException('This operation was aborted', 'AbortError') : reason;
  }

  #run(): void {
    for (const algorithm of this.#algorithms) algorithm();
    this.#algorithms.clear();
    this.#dependents.clear();
    fire(this, 'abort');
  }

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): any {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  get onabort(): Handler | null {
    return this.#onabort;
  }

  set onabort(handler: Handler | null) {
    this.#onabort = typeof handler === 'function' ? handler : null;
    // The handler keeps the place in the order of listeners that it took when first set.
    if (this.#onabort && !this.#listening) {
      this.#listening = true;
      this.addEventListener('abort', (event: Event) => this.#onabort?.call(this, event));
    }
  }

  /** Adds an algorithm to run on abort, before the event. Returns how to take it back. */
  [addAbortAlgorithm](algorithm: () => void): () => void {
    if (!this.#aborted) this.#algorithms.add(algorithm);
    return () => this.#algorithms.delete(algorithm);
  }
}

const abort = (signal: AbortSignalClass, reason: unknown): void => AbortSignalClass[key](signal, reason);

class AbortControllerClass {
  readonly #signal = new AbortSignal(key);

  get signal(): AbortSignalClass {
    return this.#signal;
  }

  abort(reason?: unknown): void {
    abort(this.#signal, reason);
  }
}

/** Says that something was aborted, and why. */
export const AbortSignal = /* @__PURE__ */ finishInterface(AbortSignalClass, 'AbortSignal');
export type AbortSignal = AbortSignalClass;

/** Aborts what was given its signal. */
export const AbortController = /* @__PURE__ */ finishInterface(AbortControllerClass, 'AbortController');
export type AbortController = AbortControllerClass;
