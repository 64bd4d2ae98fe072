// Routes: which one, what it is given, and what becomes of its answer.

import { equal, rejects, same, suite } from './check.ts';
import { machine } from './machine.ts';

const text = (s: string) => Uint8Array.from(s, (c) => c.charCodeAt(0));
const echo = (name: string) => (req: any) => ({ status: 200, body: { name, params: req.params } });

/** A package of one route at "x". */
const answering = (handler: (req: any, ctx: any) => unknown) => machine({ routes: [{ source: 'src/routes/x.ts', module: { pattern: 'x', GET: handler, POST: handler } }] });

export const run = suite((test) => {
  const patterns = ['', 'items', 'items/:id', 'items/search', 'items/:id/parts/*rest', 'items/search/parts/:part', 'files/*path', ':any/one', 'café'];
  const m = machine({ routes: patterns.map((pattern) => ({ source: `src/routes/${pattern}.ts`, module: { pattern, feature: 'f', GET: echo(pattern) } })) });
  for (const [path, pattern, params] of [
    ['', '', {}],
    ['items', 'items', {}],
    ['items/7', 'items/:id', { id: '7' }],
    ['items/search', 'items/search', {}],
    ['items/a%20b%2Fc', 'items/:id', { id: 'a b/c' }],
    ['items/search/parts/one', 'items/search/parts/:part', { part: 'one' }],
    ['items/search/parts/one/two', 'items/:id/parts/*rest', { id: 'search', rest: 'one/two' }],
    ['files/a/b%20c/d.txt', 'files/*path', { path: 'a/b c/d.txt' }],
    ['items/one', 'items/:id', { id: 'one' }],
    ['files/one', 'files/*path', { path: 'one' }],
    ['other/one', ':any/one', { any: 'other' }],
    ['caf%c3%a9', 'café', {}],
    ['/items', 'items', {}],
  ] as const) {
    test(`GET ${path} is ${pattern}`, async () => {
      same(JSON.parse((await m.route('GET', path)).body), { name: pattern, params });
    });
  }
  for (const [method, path, status] of [['GET', 'none', 404], ['GET', 'items/', 404], ['GET', 'files', 404], ['GET', 'files/', 404], ['POST', 'items', 405], ['GET', 'items/%ff', 404], ['GET', 'items/%', 404], ['GET', 'files/a//b', 404], ['GET', 'files/a/%2e%2e/b', 404], ['GET', 'items/a%5C..', 404], ['GET', 'items/%00', 404], ['GET', 'items/a..b', 200]] as const) {
    test(`${method} ${path} is ${status}`, async () => equal((await m.route(method, path)).status, status));
  }
  test('405 says what is allowed', async () => {
    const answer = await m.route('DELETE', 'items');
    equal(answer.headers.allow, 'GET, HEAD');
    equal(JSON.parse(answer.body).error.code, 'method-not-allowed');
  });
  test('the host may have matched already', async () => {
    same(JSON.parse((await m.route('GET', 'items/7', { pattern: 'items/:id', params: { id: 'given' } })).body).params, { id: 'given' });
    equal((await m.route('PUT', 'items/7', { pattern: 'items/:id', params: {} })).status, 405);
  });
  test('a parameter may be called __proto__', async () => {
    const p = machine({ routes: [{ source: 's', module: { pattern: ':__proto__', GET: (req: any) => ({ status: 200, body: Object.keys(req.params) }) } }] });
    equal((await p.route('GET', 'v')).body, '["__proto__"]');
  });
  test('describe', async () => {
    same((await m.hook('describe')).routes[1], { pattern: 'items', feature: 'f', methods: ['GET'], source: 'src/routes/items.ts' });
  });

  test('the request', async () => {
    const r = answering((req, ctx) => ({ status: 200, body: { ...req, bodyBytes: [...req.bodyBytes], user: ctx.session.userId } }));
    const answer = await r.route('POST', 'x', { query: { q: 'a' }, rawQuery: 'q=a', headers: { 'content-type': 'application/json' }, rawBody: '{"a":[1]}', session: { userId: 'u' } });
    same(JSON.parse(answer.body), { method: 'POST', path: 'x', params: {}, query: { q: 'a' }, rawQuery: 'q=a', headers: { 'content-type': 'application/json' }, body: { a: [1] }, rawBody: '{"a":[1]}', bodyBytes: [...text('{"a":[1]}')], user: 'u' });
  });
  for (const [name, input, body, raw, bytes] of [
    ['text', { rawBody: 'hé' }, 'hé', 'hé', 3],
    ['JSON of another type', { rawBody: '1', headers: { 'content-type': 'application/problem+json; charset=utf-8' } }, 1, '1', 1],
    ['no body', {}, '', '', 0],
    ['no JSON body', { headers: { 'content-type': 'application/json' } }, undefined, '', 0],
    ['base64', { bodyBase64: 'aMOp' }, 'hé', 'hé', 3],
    ['bytes that are no text', { bodyBase64: '/w==' }, '\ufffd', '\ufffd', 1],
  ] as const) {
    test(`a body of ${name}`, async () => {
      const r = answering((req) => ({ status: 200, body: [req.body, req.rawBody, req.bodyBytes.length] }));
      same(JSON.parse((await r.route('POST', 'x', input)).body), [body ?? null, raw, bytes]);
    });
  }
  test('a JSON body that is none never reaches the handler', async () => {
    const r = answering(() => { throw new Error('reached'); });
    const answer = await r.route('POST', 'x', { rawBody: '{', headers: { 'content-type': 'application/json' } });
    equal(answer.status, 400);
    equal(JSON.parse(answer.body).error.code, 'malformed-body');
  });

  class Pairs {
    constructor(readonly list: [string, string][]) {}
    get() {}
    [Symbol.iterator]() { return this.list[Symbol.iterator](); }
  }
  const response = (status: number, headers: [string, string][], body: Uint8Array) => ({ status, headers: new Pairs(headers), arrayBuffer: async () => body.slice().buffer });
  const plain = { 'content-type': 'text/plain; charset=utf-8' }, json = { 'content-type': 'application/json; charset=utf-8' };
  for (const [name, value, want] of [
    ['text', { status: 200, body: 'hi' }, { status: 200, body: 'hi', headers: plain }],
    ['an object', { status: 201, body: { a: 1 } }, { status: 201, body: '{"a":1}', headers: json }],
    ['a number', { status: 200, body: 5 }, { status: 200, body: '5', headers: json }],
    ['a body without status', { body: [] }, { status: 200, body: '[]', headers: json }],
    ['headers alone', { headers: { 'X-A': 1 } }, { status: 204, headers: { 'x-a': '1' } }],
    ['a status alone', { status: 302, headers: { location: '/a' } }, { status: 302, headers: { location: '/a' } }],
    ['bytes', { status: 200, body: new Uint8Array([255, 0, 1]) }, { status: 200, bodyBase64: '/wAB', headers: { 'content-type': 'application/octet-stream' } }],
    ['an ArrayBuffer', { status: 200, body: new Uint8Array([1]).buffer }, { status: 200, bodyBase64: 'AQ==', headers: { 'content-type': 'application/octet-stream' } }],
    ['null', { status: 200, body: null }, { status: 200 }],
    ['a body where none may be', { status: 304, body: 'x', headers: { etag: '"1"' } }, { status: 304, headers: { etag: '"1"', 'content-type': 'text/plain; charset=utf-8' } }],
    ['its own type', { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<p>' }, { status: 200, body: '<p>', headers: { 'content-type': 'text/html' } }],
    ['cookies', { status: 204, headers: { 'set-cookie': ['a=1', 'b=2'], vary: ['x', 'y'] } }, { status: 204, headers: { 'set-cookie': ['a=1', 'b=2'], vary: 'x, y' } }],
    ['a Response of text', response(200, [['content-type', 'text/plain'], ['set-cookie', 'a'], ['set-cookie', 'b']], text('ok')), { status: 200, headers: { 'content-type': 'text/plain', 'set-cookie': ['a', 'b'] }, body: 'ok' }],
    ['a Response of bytes', response(200, [['content-type', 'image/png']], text('ok')), { status: 200, headers: { 'content-type': 'image/png' }, bodyBase64: 'b2s=' }],
    ['a Response of nothing', response(404, [], text('')), { status: 404, headers: {} }],
  ] as [string, unknown, any][]) {
    test(`an answer of ${name}`, async () => {
      const got = await answering(() => value).route('GET', 'x');
      same(Object.fromEntries(Object.entries(got).sort()), Object.fromEntries(Object.entries(want).sort()));
    });
  }
  test('HEAD is GET without the body', async () => {
    same(await answering(() => ({ status: 200, body: 'long' })).route('HEAD', 'x'), { status: 200, headers: plain });
  });
  for (const [name, value, message] of [
    ['undefined', undefined, /the route GET x \(src\/routes\/x\.ts\) returned undefined; a route handler returns/],
    ['text', 'hello', /returned "hello"/],
    ['an object without status', { ok: true }, /which has no status/],
    ['a status that is text', { status: '200' }, /the status "200"/],
    ['a status of 99', { status: 99 }, /from 200 to 599/],
    ['a header name with a space', { status: 200, headers: { 'a b': '1' } }, /the name "a b"/],
    ['a header with a line break', { status: 200, headers: { a: '1\r\nb: 2' } }, /line break or NUL/],
    ['a body with a BigInt', { status: 200, body: { n: 1n } }, /the body cannot be written as JSON: result\.n is a BigInt/],
  ] as [string, unknown, RegExp][]) {
    test(`an answer of ${name} is refused`, async () => {
      equal((await rejects(() => answering(() => value).route('GET', 'x'), message)).code, 'invalid-result');
    });
  }
});
