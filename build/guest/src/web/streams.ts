// ReadableStream with its default controller and default reader (Streams
// Standard, section 4), async iteration, tee and from. Sources of type 'bytes' are
// read with default readers too; there are no BYOB readers, and, as there are no
// WritableStreams, no pipes.

import { Controller, type Source, type SourceController, type StreamState, type Strategy } from 'neuralis:web/streams-controller';

export interface ReadResult<T> {
  done: boolean;
  value: T | undefined;
}

export type UnderlyingSource<T = any> = Source<T>;
export type QueuingStrategy<T = any> = Strategy<T>;

const states = /* @__PURE__ */ new WeakMap<object, StreamState>();

function stateOf(stream: object): StreamState {
  const state = states.get(stream);
  if (state === undefined) throw new TypeError('the receiver is not a ReadableStream');
  return state;
}

/** Reports whether the stream has been read from or cancelled. */
export function isDisturbed(stream: ReadableStream): boolean {
  return stateOf(stream).disturbed;
}

/** The controller an underlying source is handed. */
export class ReadableStreamDefaultController<T = any> {
  readonly #controller: Controller;

  constructor(controller: Controller) {
    if (!(controller instanceof Controller)) throw new TypeError('Illegal constructor');
    this.#controller = controller;
  }

  get desiredSize(): number | null {
    return this.#controller.desiredSize();
  }

  get byobRequest(): null {
    return null;
  }

  close(): void {
    this.#controller.close();
  }

  enqueue(chunk?: T): void {
    this.#controller.enqueue(chunk);
  }

  error(reason?: unknown): void {
    this.#controller.error(reason);
  }

  get [Symbol.toStringTag](): string {
    return 'ReadableStreamDefaultController';
  }
}

/** Reads a stream that it keeps locked until released. */
export class ReadableStreamDefaultReader<T = any> {
  #state: StreamState | undefined;
  #closed: PromiseWithResolvers<undefined>;

  constructor(stream: ReadableStream<T>) {
    const state = stateOf(stream);
    if (state.reader !== undefined) throw new TypeError('the ReadableStream is locked to another reader');
    this.#state = state;
    this.#closed = Promise.withResolvers<undefined>();
    handled(this.#closed.promise);
    state.reader = {
      requests: [],
      closed: () => this.#closed.resolve(undefined),
      errored: (reason) => this.#closed.reject(reason),
    };
    if (state.status === 'closed') this.#closed.resolve(undefined);
    if (state.status === 'errored') this.#closed.reject(state.stored);
  }

  get closed(): Promise<undefined> {
    return this.#closed.promise;
  }

  read(): Promise<ReadResult<T>> {
    if (this.#state === undefined) return Promise.reject(new TypeError('the reader has been released'));
    return this.#state.read() as Promise<ReadResult<T>>;
  }

  cancel(reason?: unknown): Promise<undefined> {
    if (this.#state === undefined) return Promise.reject(new TypeError('the reader has been released'));
    return this.#state.cancel(reason);
  }

  releaseLock(): void {
    const state = this.#state;
    if (state === undefined) return;
    const released = new TypeError('the reader has been released');
    if (state.status !== 'readable') this.#closed = Promise.withResolvers();
    this.#closed.reject(released);
    handled(this.#closed.promise);
    const requests = state.reader!.requests;
    state.reader = undefined;
    this.#state = undefined;
    for (const request of requests) request.reject(released);
  }

  get [Symbol.toStringTag](): string {
    return 'ReadableStreamDefaultReader';
  }
}

/** A stream of chunks, pulled from its source as they are read. */
export class ReadableStream<T = any> {
  constructor(source: Source<T> = {}, strategy: Strategy<T> = {}) {
    if (source === null || typeof source !== 'object') throw new TypeError('ReadableStream: the underlying source must be an object');
    if (source.type !== undefined && `${source.type}` !== 'bytes') throw new TypeError(`ReadableStream: the type '${source.type}' is not known`);
    const highWaterMark = strategy.highWaterMark === undefined ? (source.type === undefined ? 1 : 0) : Number(strategy.highWaterMark);
    if (Number.isNaN(highWaterMark) || highWaterMark < 0) throw new RangeError('ReadableStream: highWaterMark must be a number that is not negative');
    const controller = new Controller(source, strategy.size, highWaterMark);
    states.set(this, controller.stream);
    controller.start(new ReadableStreamDefaultController<T>(controller));
  }

  /** A stream of what an iterable or async iterable yields. */
  static from<T>(iterable: Iterable<T | PromiseLike<T>> | AsyncIterable<T>): ReadableStream<T> {
    const open = (iterable as any)?.[Symbol.asyncIterator] ?? (iterable as any)?.[Symbol.iterator];
    if (typeof open !== 'function') throw new TypeError('ReadableStream.from: the argument is not iterable');
    const iterator = open.call(iterable);
    return new ReadableStream<T>({
      async pull(controller) {
        const result = await iterator.next();
        if (typeof result !== 'object' || result === null) throw new TypeError('ReadableStream.from: the iterator gave no result object');
        if (result.done) controller.close();
        else controller.enqueue(await result.value);
      },
      async cancel(reason) {
        const result = await iterator.return?.(reason);
        if (iterator.return && (typeof result !== 'object' || result === null)) throw new TypeError('ReadableStream.from: return() gave no result object');
      },
    }, { highWaterMark: 0 });
  }

  get locked(): boolean {
    return stateOf(this).reader !== undefined;
  }

  cancel(reason?: unknown): Promise<undefined> {
    if (this.locked) return Promise.reject(new TypeError('the ReadableStream is locked to a reader'));
    return stateOf(this).cancel(reason);
  }

  getReader(options: { mode?: undefined } = {}): ReadableStreamDefaultReader<T> {
    if (options?.mode !== undefined) throw new TypeError(`ReadableStream.getReader: the mode '${options.mode}' is not supported`);
    return new ReadableStreamDefaultReader<T>(this);
  }

  /** Two streams with the chunks of this one, which stays locked. */
  tee(): [ReadableStream<T>, ReadableStream<T>] {
    const reader = this.getReader();
    const controllers: SourceController<T>[] = [];
    const reasons: unknown[] = [];
    const cancelled = [false, false];
    const done = Promise.withResolvers<undefined>();
    let reading = false;
    let again = false;
    const each = (act: (controller: SourceController<T>) => void): void => {
      controllers.forEach((controller, i) => {
        if (!cancelled[i]) act(controller);
      });
    };
    const pull = (): void => {
      if (reading) {
        again = true;
        return;
      }
      reading = true;
      reader.read().then(({ done: end, value }) => {
        again = false;
        if (end) {
          each((controller) => controller.close());
          if (!cancelled[0] || !cancelled[1]) done.resolve(undefined);
        } else {
          each((controller) => controller.enqueue(value));
        }
        reading = false;
        if (!end && again) pull();
      }, () => {});
    };
    const branch = (i: number): ReadableStream<T> => new ReadableStream<T>({
      start: (controller) => {
        controllers[i] = controller;
      },
      pull,
      cancel: (reason) => {
        cancelled[i] = true;
        reasons[i] = reason;
        if (cancelled[1 - i]) done.resolve(reader.cancel(reasons));
        return done.promise;
      },
    });
    const branches: [ReadableStream<T>, ReadableStream<T>] = [branch(0), branch(1)];
    reader.closed.catch((reason) => {
      each((controller) => controller.error(reason));
      if (!cancelled[0] || !cancelled[1]) done.resolve(undefined);
    });
    return branches;
  }

  /** Iterates over the chunks; leaving the loop early cancels the stream. */
  values(options: { preventCancel?: boolean } = {}): AsyncIterableIterator<T> {
    const reader = this.getReader();
    const keep = Boolean(options?.preventCancel);
    let finished = false;
    let ongoing: Promise<unknown> | undefined;
    // A call that comes before the last one has settled waits for it. Otherwise it acts
    // at once: the engine does not wait for return() when a loop is left by break.
    const queue = <R>(step: () => Promise<R>): Promise<R> => {
      const result = ongoing === undefined ? step() : ongoing.then(step, step);
      const settled = (): void => {
        if (ongoing === result) ongoing = undefined;
      };
      ongoing = result;
      result.then(settled, settled);
      return result;
    };
    const end = { done: true as const, value: undefined };
    return {
      next: () => queue(async () => {
        if (finished) return end;
        try {
          const { done, value } = await reader.read();
          if (!done) return { done: false as const, value: value as T };
        } catch (error) {
          finished = true;
          reader.releaseLock();
          throw error;
        }
        finished = true;
        reader.releaseLock();
        return end;
      }),
      return: (value?: any) => queue(async () => {
        if (!finished) {
          finished = true;
          const cancelling = keep ? undefined : reader.cancel(value);
          reader.releaseLock();
          await cancelling;
        }
        return { done: true as const, value };
      }),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  [Symbol.asyncIterator](options?: { preventCancel?: boolean }): AsyncIterableIterator<T> {
    return this.values(options);
  }

  get [Symbol.toStringTag](): string {
    return 'ReadableStream';
  }
}

/** Marks a promise whose rejection the stream reports in another way. */
function handled(promise: Promise<unknown>): void {
  promise.catch(() => {});
}
