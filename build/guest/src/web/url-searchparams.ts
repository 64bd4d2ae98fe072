// URLSearchParams, and application/x-www-form-urlencoded, which it is the face
// of (URL Standard, sections 5 and 6). FormData bodies use the codec too.

import { FORM, percentEncode } from 'neuralis:web/url-percent';
import { percentDecode } from 'neuralis:web/url-percent-decode';

export type NameValue = [name: string, value: string];

/** Parses application/x-www-form-urlencoded text. */
export function parseForm(text: string): NameValue[] {
  const pairs: NameValue[] = [];
  for (const part of text.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const [name, value] = equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)];
    pairs.push([decodeForm(name), decodeForm(value)]);
  }
  return pairs;
}

/** Serialises pairs of well-formed strings as application/x-www-form-urlencoded. */
export function serializeForm(pairs: readonly NameValue[]): string {
  return pairs.map(([name, value]) => `${encodeForm(name)}=${encodeForm(value)}`).join('&');
}

function decodeForm(text: string): string {
  return percentDecode(text.replaceAll('+', ' '));
}

function encodeForm(text: string): string {
  return percentEncode(text, FORM).replaceAll('%20', '+');
}

/**
 * The list under a URLSearchParams. A URL makes its own and hands it to the
 * URLSearchParams constructor, and so stays in step with it both ways.
 */
export class QueryList {
  pairs: NameValue[];
  readonly changed: (() => void) | undefined;

  constructor(pairs: NameValue[], changed?: () => void) {
    this.pairs = pairs;
    this.changed = changed;
  }
}

export type URLSearchParamsInit = string | URLSearchParams | Iterable<Iterable<string>> | Record<string, string>;

function pairsOf(init: unknown): NameValue[] {
  if ((typeof init !== 'object' && typeof init !== 'function') || init === null) {
    const text = usv(init);
    return parseForm(text.startsWith('?') ? text.slice(1) : text);
  }
  const iterator = (init as Iterable<Iterable<string>>)[Symbol.iterator];
  if (iterator === undefined || iterator === null) {
    const record = new Map<string, string>();
    for (const key of Reflect.ownKeys(init)) {
      if (!Object.getOwnPropertyDescriptor(init, key)?.enumerable) continue;
      record.set(usv(key), usv((init as Record<PropertyKey, unknown>)[key]));
    }
    return [...record];
  }
  const pairs: NameValue[] = [];
  for (const item of init as Iterable<Iterable<string>>) {
    if (typeof item !== 'object' && typeof item !== 'function' || item === null) {
      throw new TypeError('URLSearchParams: each item must be a pair of a name and a value');
    }
    const pair = [...item];
    if (pair.length !== 2) throw new TypeError('URLSearchParams: each item must be a pair of a name and a value');
    pairs.push([usv(pair[0]), usv(pair[1])]);
  }
  return pairs;
}

/** WebIDL's USVString; a symbol throws. */
function usv(value: unknown): string {
  return `${value as string}`.toWellFormed();
}

/** The name-value pairs of a query, in order, duplicates kept. */
export class URLSearchParams {
  readonly #query: QueryList;

  constructor(init: URLSearchParamsInit | QueryList = '') {
    this.#query = init instanceof QueryList ? init : new QueryList(pairsOf(init));
  }

  get size(): number {
    return this.#query.pairs.length;
  }

  append(name: string, value: string): void {
    needs(arguments.length, 2, 'append');
    this.#query.pairs.push([usv(name), usv(value)]);
    this.#query.changed?.();
  }

  delete(name: string, value?: string): void {
    needs(arguments.length, 1, 'delete');
    const matches = matcher(name, value);
    this.#query.pairs = this.#query.pairs.filter((pair) => !matches(pair));
    this.#query.changed?.();
  }

  get(name: string): string | null {
    needs(arguments.length, 1, 'get');
    return this.#query.pairs.find(matcher(name))?.[1] ?? null;
  }

  getAll(name: string): string[] {
    needs(arguments.length, 1, 'getAll');
    return this.#query.pairs.filter(matcher(name)).map((pair) => pair[1]);
  }

  has(name: string, value?: string): boolean {
    needs(arguments.length, 1, 'has');
    return this.#query.pairs.some(matcher(name, value));
  }

  set(name: string, value: string): void {
    needs(arguments.length, 2, 'set');
    const matches = matcher(name);
    const text = usv(value);
    const first = this.#query.pairs.find(matches);
    if (first === undefined) {
      this.#query.pairs.push([usv(name), text]);
    } else {
      first[1] = text;
      this.#query.pairs = this.#query.pairs.filter((pair) => pair === first || !matches(pair));
    }
    this.#query.changed?.();
  }

  /** Sorts by name, by UTF-16 code units; pairs of the same name keep their order. */
  sort(): void {
    this.#query.pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#query.changed?.();
  }

  forEach(callback: (value: string, name: string, params: URLSearchParams) => void, thisArg?: unknown): void {
    if (typeof callback !== 'function') throw new TypeError('URLSearchParams.forEach: the callback is not a function');
    for (const [name, value] of this) callback.call(thisArg, value, name, this);
  }

  *entries(): IterableIterator<NameValue> {
    for (let i = 0; i < this.#query.pairs.length; i++) {
      const [name, value] = this.#query.pairs[i]!;
      yield [name, value];
    }
  }

  *keys(): IterableIterator<string> {
    for (let i = 0; i < this.#query.pairs.length; i++) yield this.#query.pairs[i]![0];
  }

  *values(): IterableIterator<string> {
    for (let i = 0; i < this.#query.pairs.length; i++) yield this.#query.pairs[i]![1];
  }

  [Symbol.iterator](): IterableIterator<NameValue> {
    return this.entries();
  }

  toString(): string {
    return serializeForm(this.#query.pairs);
  }

  get [Symbol.toStringTag](): string {
    return 'URLSearchParams';
  }
}

function matcher(name: string, value?: string): (pair: NameValue) => boolean {
  const wantedName = usv(name);
  if (value === undefined) return (pair) => pair[0] === wantedName;
  const wantedValue = usv(value);
  return (pair) => pair[0] === wantedName && pair[1] === wantedValue;
}

function needs(given: number, wanted: number, method: string): void {
  if (given < wanted) throw new TypeError(`URLSearchParams.${method}: ${wanted} argument${wanted > 1 ? 's' : ''} required, ${given} given`);
}
