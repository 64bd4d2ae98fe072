// URL, the API of the URL Standard (section 6). URLSearchParams has a module of
// its own, so that code that only needs it does not bundle the parser.

import { FRAGMENT, percentEncode, USERINFO } from 'neuralis:web/url-percent';
import { parseURL, pathStart, setHost, setPortDigits, setQuery, withoutTabs } from 'neuralis:web/url-parser';
import {
  defaultPort, hasCredentials, isSpecial, serializeHost, serializePath, serializeURL, type URLRecord,
} from 'neuralis:web/url-record';
import { parseForm, QueryList, serializeForm, URLSearchParams } from 'neuralis:web/url-searchparams';

export { URLSearchParams };

function parse(url: unknown, base: unknown): URLRecord | undefined {
  const text = usv(url);
  if (base === undefined) return parseURL(text);
  const parsedBase = parseURL(usv(base));
  return parsedBase && parseURL(text, parsedBase);
}

function usv(value: unknown): string {
  return `${value as string}`.toWellFormed();
}

/** A URL: parsed, normalised, and open to change part by part. */
export class URL {
  #url: URLRecord;
  #query: QueryList | undefined;
  #searchParams: URLSearchParams | undefined;

  /** Throws TypeError when url, resolved against base, is not a valid URL. */
  constructor(url: string | URL, base?: string | URL) {
    if (arguments.length === 0) throw new TypeError('URL: 1 argument required, 0 given');
    const parsed = parse(url, base);
    if (parsed === undefined) {
      const text = usv(url);
      throw Object.assign(new TypeError(`Invalid URL: '${text}'${base === undefined ? '' : ` with the base '${usv(base)}'`}`), {
        code: 'ERR_INVALID_URL', input: text,
      });
    }
    this.#url = parsed;
  }

  /** The URL, or null where the constructor would throw. */
  static parse(url: string | URL, base?: string | URL): URL | null {
    return URL.canParse(url, base) ? new URL(url, base) : null;
  }

  static canParse(url: string | URL, base?: string | URL): boolean {
    if (arguments.length === 0) throw new TypeError('URL.canParse: 1 argument required, 0 given');
    return parse(url, base) !== undefined;
  }

  get href(): string {
    return serializeURL(this.#url, true);
  }

  set href(value: string) {
    const parsed = parseURL(usv(value));
    if (parsed === undefined) throw new TypeError(`Invalid URL: '${usv(value)}'`);
    this.#url = parsed;
    this.#readQuery();
  }

  get origin(): string {
    const url = this.#url;
    if (url.scheme === 'blob' && typeof url.path === 'string') {
      const inner = parseURL(url.path);
      return inner?.scheme === 'http' || inner?.scheme === 'https' ? `${inner.scheme}://${serializeHost(inner)}` : 'null';
    }
    return isSpecial(url) && url.scheme !== 'file' ? `${url.scheme}://${serializeHost(url)}` : 'null';
  }

  get protocol(): string {
    return `${this.#url.scheme}:`;
  }

  set protocol(value: string) {
    const url = this.#url;
    const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*)(?::|$)/.exec(withoutTabs(usv(value)))?.[1]?.toLowerCase();
    if (scheme === undefined || isSpecial(url) !== (defaultPort(scheme) !== undefined)) return;
    if (scheme === 'file' && (hasCredentials(url) || url.port !== null)) return;
    if (url.scheme === 'file' && url.host === '') return;
    url.scheme = scheme;
    if (url.port === defaultPort(scheme)) url.port = null;
  }

  get username(): string {
    return this.#url.username;
  }

  set username(value: string) {
    const text = usv(value);
    if (this.#canHaveAuthority()) this.#url.username = percentEncode(text, USERINFO);
  }

  get password(): string {
    return this.#url.password;
  }

  set password(value: string) {
    const text = usv(value);
    if (this.#canHaveAuthority()) this.#url.password = percentEncode(text, USERINFO);
  }

  get host(): string {
    return serializeHost(this.#url);
  }

  set host(value: string) {
    const text = withoutTabs(usv(value));
    if (typeof this.#url.path !== 'string') setHost(this.#url, text, false);
  }

  get hostname(): string {
    return this.#url.host ?? '';
  }

  set hostname(value: string) {
    const text = withoutTabs(usv(value));
    if (typeof this.#url.path !== 'string') setHost(this.#url, text, true);
  }

  get port(): string {
    return this.#url.port === null ? '' : String(this.#url.port);
  }

  set port(value: string) {
    const text = usv(value);
    if (!this.#canHaveAuthority()) return;
    if (text === '') this.#url.port = null;
    else setPortDigits(this.#url, withoutTabs(text));
  }

  get pathname(): string {
    return serializePath(this.#url);
  }

  set pathname(value: string) {
    const text = withoutTabs(usv(value));
    if (typeof this.#url.path === 'string') return;
    this.#url.path = [];
    pathStart(this.#url, text, true);
  }

  get search(): string {
    return this.#url.query ? `?${this.#url.query}` : '';
  }

  set search(value: string) {
    const text = usv(value);
    if (text === '') this.#url.query = null;
    else setQuery(this.#url, withoutTabs(text.replace(/^\?/, '')));
    this.#readQuery();
  }

  get searchParams(): URLSearchParams {
    if (this.#searchParams === undefined) {
      this.#query = new QueryList([], () => this.#writeQuery());
      this.#readQuery();
      this.#searchParams = new URLSearchParams(this.#query);
    }
    return this.#searchParams;
  }

  get hash(): string {
    return this.#url.fragment ? `#${this.#url.fragment}` : '';
  }

  set hash(value: string) {
    const text = usv(value);
    this.#url.fragment = text === '' ? null : percentEncode(withoutTabs(text.replace(/^#/, '')), FRAGMENT);
  }

  toString(): string {
    return this.href;
  }

  toJSON(): string {
    return this.href;
  }

  get [Symbol.toStringTag](): string {
    return 'URL';
  }

  #canHaveAuthority(): boolean {
    return this.#url.host !== null && this.#url.host !== '' && this.#url.scheme !== 'file';
  }

  #readQuery(): void {
    if (this.#query !== undefined) this.#query.pairs = parseForm(this.#url.query ?? '');
  }

  #writeQuery(): void {
    this.#url.query = serializeForm(this.#query!.pairs) || null;
  }
}
