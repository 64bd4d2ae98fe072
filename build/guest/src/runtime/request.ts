// The request a route handler is given, from what the host passed.

import { jsonParse } from '../primordials.ts';
import { utf8Decode, utf8Encode } from '../web/encoding-utf8.ts';
import { fromBase64 } from '../web/base64-codec.ts';
import { CallError } from './errors.ts';

/** What the host passes for a route call. */
export interface RouteInput {
  method: string;
  path: string;
  query?: Record<string, string>;
  rawQuery?: string;
  headers?: Record<string, string>;
  rawBody?: string;
  bodyBase64?: string;
  pattern?: string;
  params?: Record<string, string>;
}

/** What a route handler is given. */
export interface RouteRequest {
  method: string;
  path: string;
  params: Record<string, string>;
  query: Record<string, string>;
  rawQuery: string;
  headers: Record<string, string>;
  body: unknown;
  readonly rawBody: string;
  readonly bodyBytes: Uint8Array;
}

/** A JSON body that is no JSON. It is the caller's mistake and never reaches the handler. */
export class MalformedBody extends Error {}

/** Builds the request. Throws MalformedBody for a JSON body that cannot be parsed. */
export function routeRequest(input: RouteInput, params: Record<string, string>): RouteRequest {
  const headers = input.headers ?? {};
  let text = input.rawBody;
  let bytes: Uint8Array | undefined;
  if (text === undefined && input.bodyBase64 === undefined) text = '';
  const request: RouteRequest = {
    method: input.method,
    path: input.path,
    params,
    query: input.query ?? {},
    rawQuery: input.rawQuery ?? '',
    headers,
    body: undefined,
    get rawBody() {
      return (text ??= utf8Decode(request.bodyBytes));
    },
    get bodyBytes() {
      return (bytes ??= input.bodyBase64 === undefined ? utf8Encode(text!) : fromBase64(input.bodyBase64));
    },
  };
  request.body = parseBody(request, headers['content-type'] ?? '');
  return request;
}

function parseBody(request: RouteRequest, contentType: string): unknown {
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  const text = request.rawBody;
  if (type !== 'application/json' && !type.endsWith('+json')) return text;
  if (text === '') return undefined;
  try {
    return jsonParse(text);
  } catch (error) {
    throw new MalformedBody(`the request says its body is ${type}, but it is not valid JSON: ${(error as Error).message}`);
  }
}

/** Checks the shape of what the host passed. */
export function checkRouteInput(value: unknown): RouteInput {
  const input = value as RouteInput;
  if (typeof input?.method !== 'string' || typeof input.path !== 'string') {
    throw new CallError('invalid-request', 'a route call needs the strings "method" and "path"');
  }
  return { ...input, method: input.method.toUpperCase(), path: input.path.replace(/^\//, '') };
}
