// Headers (Fetch Standard, section 5.1). The guards that keep web pages from
// setting certain headers have no place in a sandbox without cookies or a same-origin
// policy; what remains of them is that the headers of a fetched response are immutable.

export type HeadersInit = Headers | Iterable<Iterable<string>> | Record<string, string>;

/**
 * The list under a Headers object. Request, Response and fetch make their own and
 * hand them to the Headers constructor.
 */
export class HeaderList {
  immutable = false;
  #pairs: [name: string, value: string][] = [];
  #sorted: [name: string, value: string][] | undefined;

  append(name: string, value: string): void {
    this.#pairs.push([name.toLowerCase(), value]);
    this.#sorted = undefined;
  }

  delete(name: string): void {
    const key = name.toLowerCase();
    this.#pairs = this.#pairs.filter((pair) => pair[0] !== key);
    this.#sorted = undefined;
  }

  /** Replaces the first value and drops the others. */
  set(name: string, value: string): void {
    const key = name.toLowerCase();
    const first = this.#pairs.find((pair) => pair[0] === key);
    if (first === undefined) {
      this.append(key, value);
      return;
    }
    first[1] = value;
    this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== key);
    this.#sorted = undefined;
  }

  all(name: string): string[] {
    const key = name.toLowerCase();
    return this.#pairs.filter((pair) => pair[0] === key).map((pair) => pair[1]);
  }

  get(name: string): string | null {
    const values = this.all(name);
    return values.length === 0 ? null : values.join(', ');
  }

  has(name: string): boolean {
    const key = name.toLowerCase();
    return this.#pairs.some((pair) => pair[0] === key);
  }

  clone(): HeaderList {
    const list = new HeaderList();
    list.#pairs = this.#pairs.map(([name, value]) => [name, value]);
    return list;
  }

  /** Sorted by name, values combined, but each set-cookie by itself. */
  sorted(): readonly [name: string, value: string][] {
    if (this.#sorted === undefined) {
      const list: [string, string][] = [];
      for (const name of [...new Set(this.#pairs.map((pair) => pair[0]))].sort()) {
        if (name === 'set-cookie') for (const value of this.all(name)) list.push([name, value]);
        else list.push([name, this.get(name)!]);
      }
      this.#sorted = list;
    }
    return this.#sorted;
  }

  /** Adds what a Headers constructor accepts. */
  fill(init: HeadersInit): void {
    if ((typeof init !== 'object' && typeof init !== 'function') || init === null) {
      throw new TypeError('Headers: the argument must be an object or an iterable of pairs');
    }
    const iterator = (init as Iterable<Iterable<string>>)[Symbol.iterator];
    if (iterator === undefined || iterator === null) {
      for (const key of Reflect.ownKeys(init)) {
        if (!Object.getOwnPropertyDescriptor(init, key)?.enumerable) continue;
        this.#checked(key, (init as Record<PropertyKey, unknown>)[key]);
      }
      return;
    }
    for (const item of init as Iterable<Iterable<string>>) {
      if ((typeof item !== 'object' && typeof item !== 'function') || item === null) throw new TypeError('Headers: each item must be a pair of a name and a value');
      const pair = [...item];
      if (pair.length !== 2) throw new TypeError('Headers: each item must be a pair of a name and a value');
      this.#checked(pair[0], pair[1]);
    }
  }

  #checked(name: unknown, value: unknown): void {
    this.append(headerName(name), headerValue(value));
  }
}

function headerName(name: unknown): string {
  const text = `${name as string}`;
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text)) throw new TypeError(`Headers: '${text}' is not a valid header name`);
  return text;
}

function headerValue(value: unknown): string {
  const text = `${value as string}`.replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  if (/[^\x01-\x09\x0b\x0c\x0e-\xff]/.test(text)) {
    throw new TypeError('Headers: a header value must not have NUL, line breaks or characters above U+00FF');
  }
  return text;
}

/** The headers of a request or a response. Names are case-insensitive. */
export class Headers {
  readonly #list: HeaderList;

  constructor(init?: HeadersInit | HeaderList) {
    if (init instanceof HeaderList) {
      this.#list = init;
      return;
    }
    this.#list = new HeaderList();
    if (init !== undefined) this.#list.fill(init);
  }

  append(name: string, value: string): void {
    const [key, text] = [headerName(name), headerValue(value)];
    this.#mutable().append(key, text);
  }

  delete(name: string): void {
    const key = headerName(name);
    this.#mutable().delete(key);
  }

  get(name: string): string | null {
    return this.#list.get(headerName(name));
  }

  getSetCookie(): string[] {
    return this.#list.all('set-cookie');
  }

  has(name: string): boolean {
    return this.#list.has(headerName(name));
  }

  set(name: string, value: string): void {
    const [key, text] = [headerName(name), headerValue(value)];
    this.#mutable().set(key, text);
  }

  forEach(callback: (value: string, name: string, headers: Headers) => void, thisArg?: unknown): void {
    if (typeof callback !== 'function') throw new TypeError('Headers.forEach: the callback is not a function');
    for (const [name, value] of this) callback.call(thisArg, value, name, this);
  }

  *entries(): IterableIterator<[string, string]> {
    for (let i = 0; i < this.#list.sorted().length; i++) {
      const [name, value] = this.#list.sorted()[i]!;
      yield [name, value];
    }
  }

  *keys(): IterableIterator<string> {
    for (const [name] of this) yield name;
  }

  *values(): IterableIterator<string> {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }

  get [Symbol.toStringTag](): string {
    return 'Headers';
  }

  #mutable(): HeaderList {
    if (this.#list.immutable) throw new TypeError('Headers: the headers of a fetched response are immutable; copy them with new Headers(headers)');
    return this.#list;
  }
}
