// Calls that leave the package: other packages' routes and their APIs.

import { jsonParse, jsonStringify } from '../primordials.ts';
import { host, HostError } from './host.ts';
import { utf8Decode } from '../web/encoding-utf8.ts';
import { fromBase64, toBase64 } from '../web/base64-codec.ts';
import type { Session } from './context.ts';

export interface CallRouteOptions {
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: unknown;
}

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
  bodyBase64?: string;
}

/** Calls a route of the project as the current caller, with every check a call from outside passes. */
export async function callRoute(method: string, path: string, options: CallRouteOptions = {}) {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = String(value);
  const answer = host<Answer>({ op: 'route.call', method: method.toUpperCase(), path, query: options.query ?? {}, headers, ...bodyOf(options.body, headers) } as { op: string });
  const bodyBytes = answer.bodyBase64 === undefined ? undefined : fromBase64(answer.bodyBase64);
  const rawBody = answer.body ?? (bodyBytes ? utf8Decode(bodyBytes) : '');
  return { status: answer.status, headers: answer.headers ?? {}, body: parse(rawBody, answer.headers?.['content-type']), rawBody, bodyBytes };
}

function bodyOf(body: unknown, headers: Record<string, string>): { body?: string; bodyBase64?: string } {
  if (body === undefined) return {};
  if (typeof body === 'string') return { body };
  if (body instanceof ArrayBuffer) return { bodyBase64: toBase64(new Uint8Array(body)) };
  if (ArrayBuffer.isView(body)) return { bodyBase64: toBase64(new Uint8Array(body.buffer, body.byteOffset, body.byteLength)) };
  headers['content-type'] ??= 'application/json';
  return { body: jsonStringify(body) };
}

function parse(text: string, type = ''): unknown {
  if (!/^application\/(?:[^;]+\+)?json\b/i.test(type) || text === '') return text;
  try {
    return jsonParse(text);
  } catch {
    return text;
  }
}

/** The API that another package's lifecycle exports; each of its methods is a call through the host. */
export function getPackageApi<T = Record<string, (...args: unknown[]) => Promise<unknown>>>(id: string, session: Session): T {
  if (typeof session !== 'object' || session === null) {
    throw new HostError('denied', `getPackageApi(${jsonStringify(id)}) needs the session it acts for; pass ctx.session`);
  }
  return new Proxy(Object.create(null), {
    get(_, method) {
      // Awaiting the object must not look like a call of a method named "then".
      if (typeof method !== 'string' || method === 'then') return undefined;
      return async (...args: unknown[]) => host({ op: 'api.call', package: id, method, args, session } as { op: string });
    },
  }) as T;
}
