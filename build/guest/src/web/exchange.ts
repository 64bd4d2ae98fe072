// One HTTP exchange with the outside. A Neuralis host has an operation for it, which gives all
// headers, follows no redirect and reports failures as errors. Any other Extism host has the
// kernel's function, which gives no headers and may end the call when the network fails.

import { jsonParse, jsonStringify } from '../primordials.ts';
import { hostCall, httpHeaders, httpRequest, httpStatus } from 'neuralis:native';
import { fromBase64, toBase64 } from 'neuralis:web/base64-codec';

/** What a server answered. */
export interface Exchange {
  status: number;
  headers: [name: string, value: string][];
  body: Uint8Array;
}

/** Sends a request and waits for the whole response. Throws an Error that says why there is none. */
export function exchange(url: string, method: string, headers: Record<string, string>, body: Uint8Array | undefined): Exchange {
  const bodyBase64 = body && toBase64(body);
  const answer = jsonParse(hostCall(jsonStringify({ op: 'http.request', url, method, headers, bodyBase64 })) || '{"error":{"code":"unsupported"}}');
  if (answer.ok) return { status: answer.ok.status, headers: answer.ok.headers, body: fromBase64(answer.ok.bodyBase64 ?? '') };
  if (answer.error?.code !== 'unsupported') throw Object.assign(new Error(String(answer.error?.message)), { code: answer.error?.code });
  const received = httpRequest(jsonStringify({ url, method, headers }), body && (body.slice().buffer as ArrayBuffer));
  const given = Object.entries(jsonParse(httpHeaders() || '{}') as Record<string, unknown>);
  return {
    status: httpStatus(),
    headers: given.flatMap(([name, value]) => (Array.isArray(value) ? value : [value]).map((one): [string, string] => [name, `${one}`])),
    body: new Uint8Array(received),
  };
}
