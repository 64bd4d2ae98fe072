// Request (Fetch Standard, section 5.4). What only a browser can act upon (mode,
// cache, referrer, integrity, keepalive) is checked and kept, and has no effect.

import { AbortController, AbortSignal } from 'neuralis:web/abort';
import { Body, BodyState, extractBody, type BodyInit } from 'neuralis:web/body';
import { HeaderList, Headers, type HeadersInit } from 'neuralis:web/headers';
import { parseURL } from 'neuralis:web/url-parser';
import { hasCredentials, serializeURL } from 'neuralis:web/url-record';

export interface RequestInit {
  method?: string;
  headers?: HeadersInit;
  body?: BodyInit | null;
  signal?: AbortSignal | null;
  redirect?: 'follow' | 'error' | 'manual';
  credentials?: 'omit' | 'same-origin' | 'include';
  mode?: 'cors' | 'no-cors' | 'same-origin';
  cache?: 'default' | 'no-store' | 'reload' | 'no-cache' | 'force-cache' | 'only-if-cached';
  referrer?: string;
  referrerPolicy?: string;
  integrity?: string;
  keepalive?: boolean;
  duplex?: 'half';
  window?: null;
}

// The members that are words from a list; the first is the default.
const CHOICES = {
  redirect: ['follow', 'error', 'manual'],
  credentials: ['same-origin', 'omit', 'include'],
  mode: ['cors', 'no-cors', 'same-origin'],
  cache: ['default', 'no-store', 'reload', 'no-cache', 'force-cache', 'only-if-cached'],
} as const;

/** What a request is. Handing one to the Request constructor makes the object that shows it. */
export class RequestState {
  method = 'GET';
  readonly url: string;
  headers = new HeaderList();
  body = new BodyState(undefined);
  signal: AbortSignal | undefined;
  redirect: string = 'follow';
  credentials: string = 'same-origin';
  mode: string = 'cors';
  cache: string = 'default';
  referrer = 'about:client';
  referrerPolicy = '';
  integrity = '';
  keepalive = false;

  constructor(url: string) {
    this.url = url;
  }

  /** The same request with other headers to change and another body. */
  copy(body: BodyState): RequestState {
    return Object.assign(new RequestState(this.url), this, { headers: this.headers.clone(), body });
  }
}

function parse(input: unknown): RequestState {
  const text = `${input as string}`.toWellFormed();
  const url = parseURL(text);
  if (url === undefined) throw new TypeError(`Request: '${text}' is not an absolute URL; there is no page here that it could be relative to`);
  if (hasCredentials(url)) throw new TypeError('Request: a URL with a user name or password is refused; send an Authorization header');
  return new RequestState(serializeURL(url, true));
}

const states = /* @__PURE__ */ new WeakMap<object, RequestState>();

/** The state behind a Request. */
export function requestState(request: Request): RequestState {
  return states.get(request)!;
}

function methodOf(value: unknown): string {
  const method = `${value as string}`;
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(method)) throw new TypeError(`Request: '${method}' is not a valid method`);
  if (/^(?:CONNECT|TRACE|TRACK)$/i.test(method)) throw new TypeError(`Request: the method ${method} is forbidden`);
  // Other methods are case-sensitive, patch among them.
  return /^(?:DELETE|GET|HEAD|OPTIONS|POST|PUT)$/i.test(method) ? method.toUpperCase() : method;
}

function apply(state: RequestState, init: RequestInit): void {
  for (const name of Object.keys(CHOICES) as (keyof typeof CHOICES)[]) {
    const value = init[name];
    if (value === undefined) continue;
    const text = `${value}`;
    if (!(CHOICES[name] as readonly string[]).includes(text)) throw new TypeError(`Request: ${name} must be one of ${CHOICES[name].join(', ')}, not '${text}'`);
    state[name] = text;
  }
  if (init.method !== undefined) state.method = methodOf(init.method);
  if (init.referrer !== undefined) state.referrer = `${init.referrer}`;
  if (init.referrerPolicy !== undefined) state.referrerPolicy = `${init.referrerPolicy}`;
  if (init.integrity !== undefined) state.integrity = `${init.integrity}`;
  if (init.keepalive !== undefined) state.keepalive = Boolean(init.keepalive);
  if (init.signal !== undefined) {
    if (init.signal !== null && !(init.signal instanceof AbortSignal)) throw new TypeError('Request: signal must be an AbortSignal');
    state.signal = init.signal ?? undefined;
  }
  if (init.headers !== undefined) {
    state.headers = new HeaderList();
    state.headers.fill(init.headers);
  }
}

function build(input: unknown, init: RequestInit): RequestState {
  if (typeof init !== 'object' && typeof init !== 'function') throw new TypeError('Request: the options must be an object');
  const from = states.get(input as object);
  const state = from === undefined ? parse(input) : from.copy(from.body);
  apply(state, init);
  const given = init.body !== undefined && init.body !== null;
  if ((given || from?.body.present) && /^(?:GET|HEAD)$/.test(state.method)) {
    throw new TypeError(`Request: a ${state.method} request cannot have a body`);
  }
  if (given) {
    const { body, type } = extractBody(init.body!);
    if (body.streamed && init.duplex === undefined) throw new TypeError("Request: a body that is a stream needs duplex: 'half'");
    state.body = body;
    if (type !== undefined && !state.headers.has('content-type')) state.headers.append('content-type', type);
  } else if (from !== undefined) {
    state.body = from.body.take();
  }
  return state;
}

/** A request, ready for fetch. */
export class Request extends Body {
  readonly #state: RequestState;
  #headers: Headers | undefined;

  constructor(input: string | URLLike | Request | RequestState, init: RequestInit = {}) {
    const state = input instanceof RequestState ? input : build(input, init ?? {});
    super(state.body, state.headers);
    this.#state = state;
    states.set(this, state);
  }

  get method(): string {
    return this.#state.method;
  }

  get url(): string {
    return this.#state.url;
  }

  get headers(): Headers {
    return (this.#headers ??= new Headers(this.#state.headers));
  }

  get signal(): AbortSignal {
    return (this.#state.signal ??= new AbortController().signal);
  }

  get redirect(): string {
    return this.#state.redirect;
  }

  get credentials(): string {
    return this.#state.credentials;
  }

  get mode(): string {
    return this.#state.mode;
  }

  get cache(): string {
    return this.#state.cache;
  }

  get referrer(): string {
    return this.#state.referrer;
  }

  get referrerPolicy(): string {
    return this.#state.referrerPolicy;
  }

  get integrity(): string {
    return this.#state.integrity;
  }

  get keepalive(): boolean {
    return this.#state.keepalive;
  }

  get destination(): string {
    return '';
  }

  get duplex(): string {
    return 'half';
  }

  clone(): Request {
    return new Request(this.#state.copy(this.#state.body.clone()));
  }

  get [Symbol.toStringTag](): string {
    return 'Request';
  }
}

interface URLLike {
  toString(): string;
}
