// From what a route handler returned to the answer the host is given:
// { status, headers?, body? | bodyBase64? }, where body is the text to send as it is.

import { jsonStringify } from '../primordials.ts';
import { preview } from '../web/report.ts';
import { utf8TryDecode } from '../web/encoding-utf8.ts';
import { toBase64 } from '../web/base64-codec.ts';
import { CallError } from './errors.ts';
import { jsonText } from './result.ts';

interface Answer {
  status: number;
  headers?: Record<string, string | string[]>;
  body?: string;
  bodyBase64?: string;
}

/** The parts of a Fetch Response that matter here. Known by its shape, so that packages which never make one do not carry the class. */
interface ResponseLike {
  status: number;
  headers: Iterable<[string, string]>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

const json = 'application/json; charset=utf-8';

/** An answer of the runtime's own: an error that is the caller's. */
export function plainResponse(status: number, code: string, message: string, headers: Record<string, string> = {}): string {
  return jsonStringify({ status, headers: { ...headers, 'content-type': json }, body: jsonStringify({ error: { code, message } }) });
}

/** The JSON text of the answer for what a handler returned. */
export async function responseText(value: unknown, who: string, withBody: boolean): Promise<string> {
  if (typeof value !== 'object' || value === null) {
    throw invalid(who, `returned ${value === undefined ? 'undefined' : preview(value)}; a route handler returns { status, headers?, body? } or a Response`);
  }
  const answer = isResponse(value) ? await fromResponse(value, who) : fromPlain(value as Record<string, unknown>, who);
  if (!withBody || answer.status === 204 || answer.status === 205 || answer.status === 304) {
    delete answer.body;
    delete answer.bodyBase64;
  }
  return jsonStringify(answer);
}

const isResponse = (value: object): value is ResponseLike =>
  typeof (value as ResponseLike).arrayBuffer === 'function' && typeof (value as ResponseLike).status === 'number' && typeof (value as { headers?: { get?: unknown } }).headers?.get === 'function';

async function fromResponse(response: ResponseLike, who: string): Promise<Answer> {
  const answer: Answer = { status: checkStatus(response.status, who) };
  setHeaders(answer, response.headers, who);
  setBytes(answer, new Uint8Array(await response.arrayBuffer()));
  return answer;
}

function fromPlain(value: Record<string, unknown>, who: string): Answer {
  const { status, headers, body } = value;
  if (status === undefined && !('body' in value) && !('headers' in value)) {
    throw invalid(who, `returned ${preview(value)}, which has no status; a route handler returns { status, headers?, body? } or a Response`);
  }
  const answer: Answer = { status: checkStatus(status ?? (body === undefined || body === null ? 204 : 200), who) };
  if (headers !== undefined && headers !== null) setHeaders(answer, pairs(headers, who), who);
  if (body === undefined || body === null) return answer;
  if (typeof body === 'string') {
    answer.body = body;
    setType(answer, 'text/plain; charset=utf-8');
  } else if (body instanceof ArrayBuffer || ArrayBuffer.isView(body)) {
    answer.bodyBase64 = toBase64(ArrayBuffer.isView(body) ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength) : new Uint8Array(body));
    setType(answer, 'application/octet-stream');
  } else {
    answer.body = jsonText(body, who, 'the body');
    setType(answer, json);
  }
  return answer;
}

/** Bytes go as text where they are valid UTF-8 of a textual type, which spares the host a decoding. */
function setBytes(answer: Answer, bytes: Uint8Array): void {
  if (bytes.length === 0) return;
  const type = String(answer.headers?.['content-type'] ?? '');
  const text = /^text\/|json|xml|javascript|x-www-form-urlencoded/i.test(type) ? utf8TryDecode(bytes) : undefined;
  if (text !== undefined) answer.body = text;
  else answer.bodyBase64 = toBase64(bytes);
}

function setType(answer: Answer, type: string): void {
  answer.headers ??= {};
  answer.headers['content-type'] ??= type;
}

function checkStatus(status: unknown, who: string): number {
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) {
    throw invalid(who, `returned the status ${preview(status)}; it must be a whole number from 200 to 599`);
  }
  return status;
}

/** Name and value pairs of a Headers object, a list of pairs, or a plain object. */
function pairs(headers: unknown, who: string): Iterable<[string, unknown]> {
  if (typeof headers !== 'object') throw invalid(who, `returned headers that are no object: ${preview(headers)}`);
  if (typeof (headers as Iterable<unknown>)[Symbol.iterator] === 'function') return headers as Iterable<[string, unknown]>;
  return Object.entries(headers as object);
}

// RFC 9110, 5.1 and 5.5: a name is a token; a value has no line breaks or NUL.
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

function setHeaders(answer: Answer, list: Iterable<[string, unknown]>, who: string): void {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of list) {
    const key = String(name).toLowerCase();
    if (!token.test(key)) throw invalid(who, `returned a header with the name ${preview(name)}, which HTTP does not allow`);
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === undefined || one === null) continue;
      const text = String(one).trim();
      if (/[\0\r\n]/.test(text)) throw invalid(who, `returned the header ${key} with a line break or NUL in its value`);
      const old = Object.hasOwn(headers, key) ? headers[key] : undefined;
      // Cookies are the one header that cannot be joined (RFC 6265, 3).
      const next = old === undefined ? text : key === 'set-cookie' ? [old].flat().concat(text) : `${old}, ${text}`;
      Object.defineProperty(headers, key, { value: next, writable: true, enumerable: true, configurable: true });
    }
  }
  answer.headers = headers;
}

const invalid = (who: string, message: string): CallError => new CallError('invalid-result', `${who} ${message}`);
