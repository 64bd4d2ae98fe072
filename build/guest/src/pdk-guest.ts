// '@neuralis/package-system/pdk-guest' at run time: types, and for those who know Extism's
// PDK the plug-in's input, configuration, variables and HTTP. The plug-in's output is not here:
// it is what a handler returns.

import * as native from './native.ts';
import { utf8Decode, utf8Encode } from './web/encoding-utf8.ts';
import { exchange } from './web/exchange.ts';

type Bytes = Uint8Array | ArrayBuffer;

const exact = (value: string | Bytes): ArrayBuffer => {
  const bytes = typeof value === 'string' ? utf8Encode(value) : new Uint8Array(value);
  return bytes.byteLength === bytes.buffer.byteLength ? (bytes.buffer as ArrayBuffer) : (bytes.slice().buffer as ArrayBuffer);
};

/** The plug-in's input as the host passed it: the JSON of the call. */
export const Host = {
  inputString: (): string => native.input(),
  inputBytes: (): ArrayBuffer => exact(native.input()),
};

/** The plug-in's configuration. */
export const Config = {
  get: (key: string): string | null => native.configGet(key) ?? null,
};

/** Variables that the host keeps from one call of a plug-in to the next. */
export const Var = {
  getBytes: (name: string): ArrayBuffer | null => native.varGet(name) ?? null,
  getString: (name: string): string | null => {
    const value = native.varGet(name);
    return value ? utf8Decode(new Uint8Array(value)) : null;
  },
  set: (name: string, value: string | Bytes): void => native.varSet(name, exact(value)),
  delete: (name: string): void => native.varSet(name, undefined),
};

export interface HttpRequest {
  url: string;
  method?: string;
  headers?: Record<string, string>;
}

/** One HTTP request that blocks until it is answered. fetch does the same with the Web's types. */
export const Http = {
  request(request: HttpRequest, body?: string | Bytes) {
    const bytes = body === undefined ? undefined : new Uint8Array(exact(body));
    const answer = exchange(request.url, request.method ?? 'GET', request.headers ?? {}, bytes);
    const headers: Record<string, string> = {};
    for (const [name, value] of answer.headers) headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
    return { status: answer.status, headers, body: utf8Decode(answer.body), bytes: answer.body.buffer as ArrayBuffer };
  },
};
