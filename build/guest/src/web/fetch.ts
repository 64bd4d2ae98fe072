// fetch over the host's HTTP (web/exchange). The call blocks the sandbox
// until the host has the whole response; there is one at a time.
//
// What follows from that, and from having no browser around:
//  - a signal is looked at before each request is sent and after its response has come;
//  - redirect 'follow' is done here, at most 20 times, so that the host checks every
//    hop; a host that follows by itself shows only the last response;
//  - credentials, mode, cache, referrer and integrity have no effect;
//  - response bodies are complete when fetch settles.

import { BodyState } from 'neuralis:web/body';
import { exchange, type Exchange } from 'neuralis:web/exchange';
import { Request, requestState, type RequestInit, type RequestState } from 'neuralis:web/request';
import { isNullBodyStatus, Response, ResponseState } from 'neuralis:web/response';
import { parseURL } from 'neuralis:web/url-parser';
import { serializeURL } from 'neuralis:web/url-record';

const REDIRECTS = 20;

/** Sends a request and answers its response. Rejects with TypeError when there is none. */
export async function fetch(input: string | { toString(): string } | Request, init?: RequestInit): Promise<Response> {
  const request = requestState(new Request(input, init));
  let body = request.body.present ? await request.body.consume() : undefined;
  let url = request.url;
  let redirected = 0;
  for (;;) {
    request.signal?.throwIfAborted();
    const state = send(request, url, body);
    request.signal?.throwIfAborted();
    const location = [301, 302, 303, 307, 308].includes(state.status) ? state.headers.get('location') : null;
    if (location === null || request.redirect === 'manual') {
      state.redirected = redirected > 0;
      return new Response(state);
    }
    if (request.redirect === 'error') throw new TypeError(`fetch: ${url} answered with a redirect to ${location}`);
    if (++redirected > REDIRECTS) throw new TypeError(`fetch: more than ${REDIRECTS} redirects, the last from ${url}`);
    const from = parseURL(url)!;
    const to = parseURL(location, from);
    if (to === undefined) throw new TypeError(`fetch: ${url} answered with a redirect to '${location}', which is not a URL`);
    to.fragment ??= from.fragment;
    url = serializeURL(to, true);
    const rewrite = state.status === 303 ? !/^(?:GET|HEAD)$/.test(request.method) : state.status <= 302 && request.method === 'POST';
    if (rewrite) {
      request.method = 'GET';
      body = undefined;
      for (const name of ['content-encoding', 'content-language', 'content-location', 'content-type', 'content-length']) request.headers.delete(name);
    }
    if (from.scheme !== to.scheme || from.host !== to.host || from.port !== to.port) {
      for (const name of ['authorization', 'cookie', 'proxy-authorization']) request.headers.delete(name);
    }
  }
}

function send(request: RequestState, url: string, body: Uint8Array | undefined): ResponseState {
  const target = parseURL(url)!;
  if (target.scheme !== 'http' && target.scheme !== 'https') {
    throw new TypeError(`fetch: only http and https URLs can be fetched, not '${target.scheme}:'`);
  }
  const headers: Record<string, string> = {};
  for (const [name, value] of request.headers.sorted()) headers[name] = value;
  headers['accept'] ??= '*/*';
  let received: Exchange;
  try {
    received = exchange(serializeURL(target, false), request.method, headers, body);
  } catch (error) {
    throw failure(error, request.method, url, target.host!);
  }
  const state = new ResponseState();
  state.type = 'basic';
  state.url = url;
  state.status = received.status;
  if (state.status === 0) throw failure(new Error('the host gave no response'), request.method, url, target.host!);
  for (const [name, value] of received.headers) state.headers.append(name, value);
  state.headers.immutable = true;
  if (!isNullBodyStatus(state.status) && request.method !== 'HEAD') state.body = new BodyState(received.body);
  return state;
}

function failure(cause: unknown, method: string, url: string, host: string): TypeError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const hint = /not allowed|denied|forbidden/i.test(reason)
    ? `; the host '${host}' must be listed in network.allowedHosts of the package's manifest, and the operator must allow it`
    : '';
  return new TypeError(`fetch: ${method} ${url} failed: ${reason}${hint}`, { cause });
}
