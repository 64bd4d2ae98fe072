// The inside of a ReadableStream: its state and its queue (the "default
// controller" of the Streams Standard), apart from the classes that show them.

export interface SourceController<T> {
  readonly desiredSize: number | null;
  close(): void;
  enqueue(chunk?: T): void;
  error(reason?: unknown): void;
}

export interface Source<T = any> {
  start?(controller: SourceController<T>): unknown;
  pull?(controller: SourceController<T>): unknown;
  cancel?(reason?: unknown): unknown;
  type?: 'bytes' | undefined;
}

export interface Strategy<T = any> {
  highWaterMark?: number;
  size?(chunk?: T): number;
}

interface ReadRequest {
  resolve(result: { done: boolean; value: unknown }): void;
  reject(reason: unknown): void;
}

interface Reader {
  requests: ReadRequest[];
  closed(): void;
  errored(reason: unknown): void;
}

/** What a stream is: its status, and who reads it. */
export class StreamState {
  status: 'readable' | 'closed' | 'errored' = 'readable';
  stored: unknown;
  disturbed = false;
  reader: Reader | undefined;
  readonly #controller: Controller;

  constructor(controller: Controller) {
    this.#controller = controller;
  }

  read(): Promise<{ done: boolean; value: unknown }> {
    this.disturbed = true;
    if (this.status === 'closed') return Promise.resolve({ done: true, value: undefined });
    if (this.status === 'errored') return Promise.reject(this.stored);
    return this.#controller.take();
  }

  async cancel(reason: unknown): Promise<undefined> {
    this.disturbed = true;
    if (this.status === 'errored') throw this.stored;
    if (this.status === 'closed') return;
    this.close();
    await this.#controller.cancel(reason);
  }

  close(): void {
    this.status = 'closed';
    const reader = this.reader;
    if (reader === undefined) return;
    reader.closed();
    for (const request of reader.requests.splice(0)) request.resolve({ done: true, value: undefined });
  }

  fail(reason: unknown): void {
    this.status = 'errored';
    this.stored = reason;
    const reader = this.reader;
    if (reader === undefined) return;
    reader.errored(reason);
    for (const request of reader.requests.splice(0)) request.reject(reason);
  }
}

/** The queue between a source and the reader, and the rules of when to pull. */
export class Controller {
  readonly stream: StreamState;
  #source: Source | undefined;
  #size: ((chunk?: unknown) => number) | undefined;
  readonly #highWaterMark: number;
  readonly #pull: Source['pull'];
  readonly #cancel: Source['cancel'];
  #queue: { chunk: unknown; size: number }[] = [];
  #total = 0;
  #shown: SourceController<unknown> | undefined;
  #started = false;
  #closing = false;
  #pulling = false;
  #pullAgain = false;

  constructor(source: Source, size: Strategy['size'], highWaterMark: number) {
    this.stream = new StreamState(this);
    this.#source = source;
    this.#size = size;
    this.#highWaterMark = highWaterMark;
    this.#pull = source.pull;
    this.#cancel = source.cancel;
  }

  start(shown: SourceController<unknown>): void {
    this.#shown = shown;
    const result = this.#source!.start?.(shown);
    Promise.resolve(result).then(() => {
      this.#started = true;
      this.#pullIfNeeded();
    }, (reason) => this.#fail(reason));
  }

  desiredSize(): number | null {
    if (this.stream.status === 'errored') return null;
    return this.stream.status === 'closed' ? 0 : this.#highWaterMark - this.#total;
  }

  close(): void {
    this.#mustBeOpen();
    this.#closing = true;
    if (this.#queue.length === 0) this.#finish();
  }

  enqueue(chunk: unknown): void {
    this.#mustBeOpen();
    const request = this.stream.reader?.requests.shift();
    if (request !== undefined) {
      request.resolve({ done: false, value: chunk });
    } else {
      let size = 1;
      try {
        const measure = this.#size;
        if (measure !== undefined) size = Number(measure(chunk));
        if (Number.isNaN(size) || size < 0 || size === Infinity) throw new RangeError('ReadableStream: the size of a chunk must be finite and not negative');
      } catch (error) {
        this.#fail(error);
        throw error;
      }
      this.#queue.push({ chunk, size });
      this.#total += size;
    }
    this.#pullIfNeeded();
  }

  error(reason: unknown): void {
    this.#fail(reason);
  }

  take(): Promise<{ done: boolean; value: unknown }> {
    const first = this.#queue.shift();
    if (first === undefined) {
      return new Promise((resolve, reject) => {
        this.stream.reader!.requests.push({ resolve, reject });
        this.#pullIfNeeded();
      });
    }
    this.#total = this.#queue.length === 0 ? 0 : this.#total - first.size;
    if (this.#closing && this.#queue.length === 0) this.#finish();
    else this.#pullIfNeeded();
    return Promise.resolve({ done: false, value: first.chunk });
  }

  async cancel(reason: unknown): Promise<void> {
    this.#queue = [];
    this.#total = 0;
    const source = this.#source;
    this.#release();
    await this.#cancel?.call(source, reason);
  }

  #mustBeOpen(): void {
    if (this.#closing || this.stream.status !== 'readable') throw new TypeError('the ReadableStream is closed or errored, or is closing');
  }

  #pullIfNeeded(): void {
    if (!this.#started || this.#closing || this.stream.status !== 'readable') return;
    if (!this.stream.reader?.requests.length && this.desiredSize()! <= 0) return;
    if (this.#pulling) {
      this.#pullAgain = true;
      return;
    }
    this.#pulling = true;
    let result: unknown;
    try {
      result = this.#pull?.call(this.#source, this.#shown!);
    } catch (error) {
      result = Promise.reject(error);
    }
    Promise.resolve(result).then(() => {
      this.#pulling = false;
      if (this.#pullAgain) {
        this.#pullAgain = false;
        this.#pullIfNeeded();
      }
    }, (reason) => this.#fail(reason));
  }

  #finish(): void {
    this.#release();
    this.stream.close();
  }

  #fail(reason: unknown): void {
    if (this.stream.status !== 'readable') return;
    this.#queue = [];
    this.#total = 0;
    this.#release();
    this.stream.fail(reason);
  }

  /** Lets go of what the source may hold. */
  #release(): void {
    this.#source = undefined;
    this.#size = undefined;
  }
}
