// Response (Fetch Standard, section 5.5).

import { jsonStringify } from '../primordials.ts';
import { Body, BodyState, extractBody, type BodyInit } from 'neuralis:web/body';
import { HeaderList, Headers, type HeadersInit } from 'neuralis:web/headers';
import { parseURL } from 'neuralis:web/url-parser';
import { serializeURL } from 'neuralis:web/url-record';

export interface ResponseInit {
  status?: number;
  statusText?: string;
  headers?: HeadersInit;
}

/** What a response is. Handing one to the Response constructor makes the object that shows it. */
export class ResponseState {
  type: 'default' | 'basic' | 'error' = 'default';
  status = 200;
  statusText = '';
  url = '';
  redirected = false;
  headers = new HeaderList();
  body = new BodyState(undefined);
}

function build(init: ResponseInit): ResponseState {
  if (typeof init !== 'object' && typeof init !== 'function') throw new TypeError('Response: the options must be an object');
  const state = new ResponseState();
  if (init.status !== undefined) {
    state.status = Number(init.status) & 0xffff;
    if (state.status < 200 || state.status > 599) throw new RangeError(`Response: the status must be from 200 to 599, not ${init.status}`);
  }
  if (init.statusText !== undefined) {
    state.statusText = `${init.statusText}`;
    if (/[^\t -~\x80-\xff]/.test(state.statusText)) throw new TypeError('Response: statusText has characters that are not allowed there');
  }
  if (init.headers !== undefined) state.headers.fill(init.headers);
  return state;
}

function setBody(state: ResponseState, init: BodyInit, contentType?: string): void {
  if (isNullBodyStatus(state.status)) throw new TypeError(`Response: a response with status ${state.status} cannot have a body`);
  const { body, type } = extractBody(init);
  state.body = body;
  const value = contentType ?? type;
  if (value !== undefined && !state.headers.has('content-type')) state.headers.append('content-type', value);
}

/** Reports whether responses with that status never have a body. */
export function isNullBodyStatus(status: number): boolean {
  return status === 101 || status === 103 || status === 204 || status === 205 || status === 304;
}

/** The answer to a request. */
export class Response extends Body {
  readonly #state: ResponseState;
  #headers: Headers | undefined;

  constructor(body?: BodyInit | null | ResponseState, init: ResponseInit = {}) {
    const state = body instanceof ResponseState ? body : build(init ?? {});
    if (body !== state && body !== null && body !== undefined) setBody(state, body as BodyInit);
    super(state.body, state.headers);
    this.#state = state;
  }

  /** A network error. */
  static error(): Response {
    const state = new ResponseState();
    state.type = 'error';
    state.status = 0;
    state.headers.immutable = true;
    return new Response(state);
  }

  /** A response with data as its JSON body. */
  static json(data: unknown, init: ResponseInit = {}): Response {
    const text = jsonStringify(data);
    if (text === undefined) throw new TypeError('Response.json: the data cannot be written as JSON');
    const state = build(init ?? {});
    setBody(state, text, 'application/json');
    return new Response(state);
  }

  static redirect(url: string | { toString(): string }, status: number = 302): Response {
    const text = `${url as string}`.toWellFormed();
    const parsed = parseURL(text);
    if (parsed === undefined) throw new TypeError(`Response.redirect: '${text}' is not an absolute URL`);
    const state = new ResponseState();
    state.status = Number(status) & 0xffff;
    if (![301, 302, 303, 307, 308].includes(state.status)) throw new RangeError(`Response.redirect: ${status} is not a redirect status`);
    state.headers.append('location', serializeURL(parsed, true));
    state.headers.immutable = true;
    return new Response(state);
  }

  get type(): string {
    return this.#state.type;
  }

  get url(): string {
    return this.#state.url.replace(/#.*$/s, '');
  }

  get redirected(): boolean {
    return this.#state.redirected;
  }

  get status(): number {
    return this.#state.status;
  }

  get ok(): boolean {
    return this.#state.status >= 200 && this.#state.status <= 299;
  }

  get statusText(): string {
    return this.#state.statusText;
  }

  get headers(): Headers {
    return (this.#headers ??= new Headers(this.#state.headers));
  }

  clone(): Response {
    const body = this.#state.body.clone();
    const headers = this.#state.headers.clone();
    headers.immutable = this.#state.headers.immutable;
    return new Response(Object.assign(new ResponseState(), this.#state, { body, headers }));
  }

  get [Symbol.toStringTag](): string {
    return 'Response';
  }
}
