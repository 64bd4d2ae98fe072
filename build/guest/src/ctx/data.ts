// ctx.data: the package's own files, as paths, logs of JSON lines, and stores of records.

import { jsonParse, jsonStringify } from '../primordials.ts';
import { host, hostAbout, hostText } from './host.ts';
import { logger } from './logger.ts';

/** Options of an appender. */
export interface AppenderOptions {
  /** Start a new file when this size is passed. */
  maxBytes?: number;
  /** How many full files to keep. */
  keep?: number;
}

export interface JsonlAppender {
  append(path: string, value: unknown): Promise<void>;
  readNewest<T = unknown>(path: string, count: number): Promise<T[]>;
}

export interface FileStore<T> {
  get(id: string): Promise<T | null>;
  list(): Promise<T[]>;
  put(id: string, value: T): Promise<void>;
  delete(id: string): Promise<boolean>;
  exists(id: string): Promise<boolean>;
  update(id: string, change: (old: T | null) => T | undefined): Promise<T | null>;
}

export const data = {
  dataPath: (path: string): string => hostAbout<string>('data.path', 'rel', path),
  jsonlAppender,
  fileStore,
};

function jsonlAppender(options: AppenderOptions = {}): JsonlAppender {
  return {
    async append(path, value) {
      hostText(withValue({ op: 'data.append', path, maxBytes: options.maxBytes, keep: options.keep }, value, `the line for ${path}`));
    },
    async readNewest<T>(path: string, count: number) {
      return host<T[]>({ op: 'data.readNewest', path, n: count } as { op: string });
    },
  };
}

function fileStore<T = unknown>(store: string): FileStore<T> {
  const record = (id: string) => `the record ${id} of the store ${store}`;
  const ask = <R>(op: string, id?: string) => host<R>({ op: `store.${op}`, store, id } as { op: string });
  return {
    get: async (id) => ask<T | null>('get', id) ?? null,
    list: async () => ask<T[]>('list'),
    delete: async (id) => ask<boolean>('delete', id) !== false,
    exists: async (id) => ask<boolean>('exists', id),
    async put(id, value) {
      hostText(withValue({ op: 'store.put', store, id }, value, record(id)));
    },
    async update(id, change) {
      const { lock, value: old = null } = ask<{ lock: number; value?: T | null }>('begin', id);
      // From here the record is locked; every way out of this block gives it back.
      let committed = false;
      try {
        const kept = old === null ? 'null' : jsonStringify(old);
        const next = change(old);
        if (isPromise(next)) {
          next.then(undefined, () => {}); // its own failure is not the news
          throw new TypeError(`the function given to update(${jsonStringify(id)}) is async; it runs while the record is locked and must return the new value at once`);
        }
        if (next === undefined) return jsonParse(kept);
        const text = valueText(next, record(id));
        committed = true;
        hostText(`{"op":"store.commit","lock":${lock},"value":${text}}`);
        return jsonParse(text);
      } finally {
        if (!committed) release(lock);
      }
    },
  };
}

/** Gives a record back unchanged. A failure here must not hide why. */
function release(lock: number): void {
  try {
    host({ op: 'store.abort', lock } as { op: string });
  } catch (error) {
    logger.warn('a record could not be unlocked', { error });
  }
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && typeof (value as PromiseLike<unknown>).then === 'function';

/** A request with a value in it, so that a value that is no JSON is the caller's error and says so. */
function withValue(request: object, value: unknown, what: string): string {
  return `${jsonStringify(request).slice(0, -1)},"value":${valueText(value, what)}}`;
}

function valueText(value: unknown, what: string): string {
  let text: string | undefined;
  try {
    text = jsonStringify(value);
  } catch (error) {
    throw new TypeError(`${what} cannot be written as JSON: ${(error as Error).message}`, { cause: error });
  }
  if (text === undefined) throw new TypeError(`${what} cannot be written as JSON: it is ${typeof value}`);
  return text;
}
