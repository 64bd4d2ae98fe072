// Headers, Blob, FormData, Request, Response and fetch: what the standards say, and
// generated header lists and forms compared with the platform's own.

import { AbortController } from 'neuralis:web/abort';
import { Blob, File } from 'neuralis:web/blob';
import { fetch } from 'neuralis:web/fetch';
import { FormData } from 'neuralis:web/formdata';
import { Headers } from 'neuralis:web/headers';
import { Request } from 'neuralis:web/request';
import { Response } from 'neuralis:web/response';
import { ReadableStream } from 'neuralis:web/streams';
import { URL, URLSearchParams } from 'neuralis:web/url';
import { http } from './native';
import { equal, numbers, outcome, rejects, test, testAsync, throws, type Report } from './report';

const utf8 = (text: string): Uint8Array => new Uint8Array(Array.from(text, (c) => c.charCodeAt(0)));

export async function run(report: Report): Promise<void> {
  headers(report);
  await blobs(report);
  formData(report);
  await bodies(report);
  requests(report);
  responses(report);
  await fetching(report);
  if (report.peer) await differential(report, report.peer);
}

function headers(report: Report): void {
  test(report, 'sorted and combined', () => {
    const list = new Headers([['B', '1'], ['a', ' 2\t'], ['b', '3'], ['Set-Cookie', 'x=1'], ['set-cookie', 'y=2']]);
    equal([...list], [['a', '2'], ['b', '1, 3'], ['set-cookie', 'x=1'], ['set-cookie', 'y=2']]);
    equal(list.get('B'), '1, 3');
    equal(list.get('set-cookie'), 'x=1, y=2');
    equal(list.getSetCookie(), ['x=1', 'y=2']);
    equal(list.get('nope'), null);
  });
  test(report, 'set, delete, has', () => {
    const list = new Headers({ A: '1', b: '2' });
    list.append('a', '3');
    list.set('A', '4');
    equal(list.get('a'), '4');
    list.delete('a');
    equal(list.has('A'), false);
    equal(Object.fromEntries(list), { b: '2' });
  });
  test(report, 'what is not a header', () => {
    const list = new Headers();
    for (const name of ['', 'a b', 'a:', '\u00e9', 'a\n']) throws(() => list.append(name, 'x'), 'TypeError');
    for (const value of ['a\nb', 'a\0', '\u0100', 'a\rb']) throws(() => list.append('a', value), 'TypeError');
    list.append('a', '\u00ff\x7f');
    throws(() => new Headers([['a']] as any), 'TypeError');
    throws(() => new Headers([['a', 'b', 'c']] as any), 'TypeError');
    for (const init of [null, 5, 'ab', true]) throws(() => new Headers(init as any), 'TypeError');
    throws(() => new Headers({ a: Symbol() } as any), 'TypeError');
  });
  test(report, 'iteration sees changes', () => {
    const list = new Headers([['a', '1'], ['c', '2']]);
    const seen: string[] = [];
    for (const [name] of list) {
      seen.push(name);
      if (name === 'a') list.append('b', 'x');
    }
    equal(seen, ['a', 'b', 'c']);
  });
}

async function blobs(report: Report): Promise<void> {
  await testAsync(report, 'blob parts', async () => {
    const blob = new Blob(['a\u00e9', new Uint8Array([66]), new Uint8Array([9, 67, 9]).subarray(1, 2), new Blob(['D']), 5 as any], { type: 'Text/Plain' });
    equal(await blob.text(), 'a\u00e9BCD5');
    equal(blob.size, 7);
    equal(blob.type, 'text/plain');
    equal(new Uint8Array(await blob.arrayBuffer()), [97, 0xc3, 0xa9, 66, 67, 68, 53]);
    equal(await new Blob(['\ufeffx']).text(), 'x');
    equal(new Blob([], { type: 'a\u00e9' }).type, '');
    equal(await new Blob(['a\r\nb\rc\n'], { endings: 'native' }).text(), 'a\nb\nc\n');
    throws(() => new Blob('x' as any), 'TypeError');
    throws(() => new Blob([], { endings: 'x' as any }), 'TypeError');
  });
  for (const [start, end, want] of [[1, 3, 'bc'], [-2, undefined, 'ef'], [0, -4, 'ab'], [4, 2, ''], [undefined, undefined, 'abcdef'], [2, 99, 'cdef']] as const) {
    await testAsync(report, `blob slice ${start} ${end}`, async () => {
      const part = new Blob(['abcdef'], { type: 'x/y' }).slice(start, end, 'A/B');
      equal(await part.text(), want);
      equal(part.type, 'a/b');
      equal(part.size, want.length);
    });
  }
  await testAsync(report, 'blob stream and file', async () => {
    const chunks = [];
    for await (const chunk of new Blob(['ab', 'c']).stream()) chunks.push(...chunk);
    equal(chunks, [97, 98, 99]);
    const file = new File(['x'], 'n\ud800.txt', { lastModified: 5, type: 'a/b' });
    equal([file.name, file.lastModified, file.type, file.size, file instanceof Blob], ['n\ufffd.txt', 5, 'a/b', 1, true]);
    throws(() => new (File as any)([]), 'TypeError');
    equal(Object.prototype.toString.call(file), '[object File]');
  });
}

function formData(report: Report): void {
  test(report, 'form entries', () => {
    const form = new FormData();
    form.append('a', '1');
    form.append('b', new Blob(['x'], { type: 't/u' }));
    form.append('a', '2');
    form.append('b', new File(['y'], 'f.txt'), 'g.txt');
    equal([...form.keys()], ['a', 'b', 'a', 'b']);
    equal(form.getAll('a'), ['1', '2']);
    const [first, second] = form.getAll('b') as File[];
    equal([first!.name, first!.type, second!.name], ['blob', 't/u', 'g.txt']);
    form.set('a', '3');
    equal([...form.keys()], ['a', 'b', 'b']);
    form.delete('b');
    equal([...form], [['a', '3']]);
    equal([form.get('b'), form.has('b'), form.has('a')], [null, false, true]);
    throws(() => form.append('a', 'b', 'c'), 'TypeError');
    throws(() => (form as any).append('a'), 'TypeError');
    throws(() => new FormData({} as any), 'TypeError');
  });
}

async function bodies(report: Report): Promise<void> {
  for (const [name, init, type, text] of [
    ['text', 'h\u00e9', 'text/plain;charset=UTF-8', 'h\u00e9'],
    ['params', new URLSearchParams({ a: 'b c' }), 'application/x-www-form-urlencoded;charset=UTF-8', 'a=b+c'],
    ['bytes', new Uint8Array([65]), null, 'A'],
    ['buffer', new Uint8Array([65]).buffer, null, 'A'],
    ['blob', new Blob(['x'], { type: 'a/b' }), 'a/b', 'x'],
    ['blob without type', new Blob(['x']), null, 'x'],
    ['stream', new ReadableStream({ start(c) { c.enqueue(utf8('s')); c.close(); } }), null, 's'],
    ['number', 5 as any, 'text/plain;charset=UTF-8', '5'],
  ] as const) {
    await testAsync(report, `body from ${name}`, async () => {
      const response = new Response(init);
      equal(response.headers.get('content-type'), type);
      const copy = response.clone();
      equal(response.bodyUsed, false);
      equal(await response.text(), text);
      equal(response.bodyUsed, true);
      await rejects(response.text(), 'TypeError');
      throws(() => response.clone(), 'TypeError');
      equal(await copy.bytes(), [...utf8(text === 'h\u00e9' ? 'h\xc3\xa9' : text)]);
    });
  }
  await testAsync(report, 'json, arrayBuffer, blob', async () => {
    equal(await new Response('\ufeff{"a":[1]}').json(), { a: [1] });
    await rejects(new Response('{').json(), 'SyntaxError');
    equal(new Uint8Array(await new Response('ab').arrayBuffer()), [97, 98]);
    const blob = await new Response('x', { headers: { 'content-type': 'Text/HTML; Charset="utf-8"' } }).blob();
    equal([blob.type, blob.size], ['text/html;charset=utf-8', 1]);
    equal(await new Response().text(), '');
    equal(new Response().body, null);
    equal(new Response(null).bodyUsed, false);
  });
  await testAsync(report, 'the stream of a body', async () => {
    const response = new Response('abc');
    const reader = response.body!.getReader();
    equal((await reader.read()).value, [97, 98, 99]);
    equal(response.bodyUsed, true);
    const locked = new Response('abc');
    locked.body!.getReader();
    equal(locked.bodyUsed, false);
    await rejects(locked.text(), 'TypeError');
    throws(() => new Response(locked.body), 'TypeError');
    const read = new Response('abc');
    await read.text();
    equal((await read.body!.getReader().read()).done, true);
    await rejects(new Response(new ReadableStream({ start(c) { c.enqueue('text' as any); c.close(); } })).text(), 'TypeError');
    equal(await new Response(new Response('pass').body).text(), 'pass');
  });
  await testAsync(report, 'multipart both ways', async () => {
    const form = new FormData();
    form.append('na"me\r\n', 'line\nline\r\n\u00e9');
    form.append('file', new File([new Uint8Array([0, 255, 13, 10, 45, 45])], 'a"b\u00e9.bin', { type: 'x/y' }));
    form.append('empty', '');
    form.append('empty file', new Blob([]));
    const response = new Response(form);
    equal(/^multipart\/form-data; boundary=[-\w]+$/.test(response.headers.get('content-type')!), true);
    const back = await response.formData();
    equal([...back.keys()], ['na"me\r\n', 'file', 'empty', 'empty file']);
    equal(back.get('na"me\r\n'), 'line\r\nline\r\n\u00e9');
    const file = back.get('file') as File;
    equal([file.name, file.type, file.size], ['a"b\u00e9.bin', 'x/y', 6]);
    equal(await file.bytes(), [0, 255, 13, 10, 45, 45]);
    equal([back.get('empty'), (back.get('empty file') as File).size, (back.get('empty file') as File).type], ['', 0, 'application/octet-stream']);
  });
  const multipart = (text: string): Promise<FormData> => new Response(text, { headers: { 'content-type': 'multipart/form-data; boundary=B' } }).formData();
  await testAsync(report, 'multipart from elsewhere', async () => {
    const form = await multipart('--B\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--B  \r\ncontent-disposition: FORM-DATA; filename="x.txt"; name="f"\r\n\r\nhi\r\n--B--');
    equal(form.get('a'), '1');
    equal([(form.get('f') as File).type, await (form.get('f') as File).text()], ['text/plain', 'hi']);
    equal([...(await multipart('--B--\r\n'))], []);
    for (const bad of ['', 'x', '--B\r\n', '--B\r\nContent-Disposition: form-data; name="a"\r\n\r\n1', '--B\r\n\r\n1\r\n--B--', '--B\r\nContent-Disposition: attachment; name="a"\r\n\r\n1\r\n--B--']) {
      await rejects(multipart(bad), 'TypeError');
    }
  });
  await testAsync(report, 'urlencoded form', async () => {
    const form = await new Response(new URLSearchParams([['a', '1'], ['a', 'b c']])).formData();
    equal([...form], [['a', '1'], ['a', 'b c']]);
    await rejects(new Response('a=1').formData(), 'TypeError');
  });
}

function requests(report: Report): void {
  test(report, 'request members', () => {
    const request = new Request(new URL('HTTP://Example.com/a b#f'), { method: 'post', body: 'x', headers: { A: '1' }, redirect: 'manual' });
    equal([request.url, request.method, request.redirect, request.credentials, request.mode], ['http://example.com/a%20b#f', 'POST', 'manual', 'same-origin', 'cors']);
    equal([...request.headers], [['a', '1'], ['content-type', 'text/plain;charset=UTF-8']]);
    equal(new Request('http://x/', { method: 'patch' }).method, 'patch');
    equal(request.signal.aborted, false);
  });
  test(report, 'requests refused', () => {
    for (const [url, init] of [
      ['/relative', {}], ['http://u:p@x/', {}], ['http://x/', { method: 'TRACE' }], ['http://x/', { method: 'a b' }], ['http://x/', { body: 'x' }],
      ['http://x/', { method: 'HEAD', body: 'x' }], ['http://x/', { redirect: 'x' }], ['http://x/', { signal: {} }], ['http://x/', { mode: 'navigate' }],
      ['http://x/', { method: 'POST', body: new ReadableStream() }],
    ] as [string, any][]) throws(() => new Request(url, init), 'TypeError');
  });
  test(report, 'request from a request', () => {
    const first = new Request('http://x/', { method: 'POST', body: 'b', headers: { a: '1' } });
    const second = new Request(first, { headers: { c: '2' } });
    equal([first.bodyUsed, second.bodyUsed, second.method], [true, false, 'POST']);
    equal([...second.headers], [['c', '2']]);
    throws(() => new Request(first), 'TypeError');
    const copy = second.clone();
    copy.headers.set('c', '3');
    equal(second.headers.get('c'), '2');
    const { signal } = new AbortController();
    equal(new Request(new Request('http://x/', { signal })).signal === signal, true);
  });
}

function responses(report: Report): void {
  test(report, 'response members', () => {
    const response = new Response('x', { status: 404, statusText: 'No', headers: { a: 'b' } });
    equal([response.status, response.ok, response.statusText, response.type, response.url, response.redirected], [404, false, 'No', 'default', '', false]);
    for (const status of [0, 199, 600, 101]) throws(() => new Response(null, { status }), 'RangeError');
    throws(() => new Response('x', { status: 204 }), 'TypeError');
    equal(new Response(null, { status: 204 }).ok, true);
    throws(() => new Response(null, { statusText: '\n' }), 'TypeError');
  });
  test(report, 'static responses', () => {
    const error = Response.error();
    equal([error.type, error.status], ['error', 0]);
    throws(() => error.headers.append('a', 'b'), 'TypeError');
    const json = Response.json({ a: 1 }, { status: 201 });
    equal([json.status, json.headers.get('content-type')], [201, 'application/json']);
    equal(Response.json(1, { headers: { 'content-type': 'x/y' } }).headers.get('content-type'), 'x/y');
    throws(() => Response.json(undefined), 'TypeError');
    const redirect = Response.redirect('http://x/a b', 307);
    equal([redirect.status, redirect.headers.get('location')], [307, 'http://x/a%20b']);
    throws(() => Response.redirect('http://x', 200), 'RangeError');
    throws(() => Response.redirect('/x'), 'TypeError');
  });
}

async function fetching(report: Report): Promise<void> {
  const sent: any[] = [];
  const serve = (...answers: any[]): void => {
    sent.length = 0;
    http.handler = (request, body) => {
      sent.push({ ...request, body: body === undefined ? undefined : new Response(body) });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof Error) throw answer;
      return answer;
    };
  };
  await testAsync(report, 'fetch sends and receives', async () => {
    serve({ status: 201, headers: '{"Content-Type":"application/json","Set-Cookie":["a=1","b=2"]}', body: utf8('{"ok":true}') });
    const response = await fetch('https://x/y?z#f', { method: 'PUT', body: 'b', headers: { A: '1' } });
    equal([sent[0].url, sent[0].method, sent[0].headers], ['https://x/y?z', 'PUT', { a: '1', 'content-type': 'text/plain;charset=UTF-8', accept: '*/*' }]);
    equal(await sent[0].body.text(), 'b');
    equal([response.status, response.url, response.redirected, response.type], [201, 'https://x/y?z', false, 'basic']);
    equal(response.headers.getSetCookie(), ['a=1', 'b=2']);
    throws(() => response.headers.set('a', 'b'), 'TypeError');
    equal(await response.json(), { ok: true });
  });
  await testAsync(report, 'fetch without headers from the host, or without a body', async () => {
    serve({ status: 204 });
    const response = await fetch('http://x/');
    equal([response.status, response.body, [...response.headers]], [204, null, []]);
  });
  await testAsync(report, 'fetch follows redirects', async () => {
    serve({ status: 302, headers: '{"Location":"/next"}' }, { status: 301, headers: '{"location":"https://other/"}' }, { status: 200, body: utf8('end') });
    const response = await fetch('http://x/a#frag', { method: 'POST', body: 'b', headers: { authorization: 's' } });
    equal(sent.map((s) => [s.method, s.url, s.headers['authorization']]), [['POST', 'http://x/a', 's'], ['GET', 'http://x/next', 's'], ['GET', 'https://other/', undefined]]);
    equal([response.redirected, response.url, await response.text()], [true, 'https://other/', 'end']);
    serve({ status: 307, headers: '{"location":"/"}' });
    await rejects(fetch('http://x/'), 'TypeError');
    equal(sent.length, 21);
    await rejects(fetch('http://x/', { redirect: 'error' }), 'TypeError');
    equal((await fetch('http://x/', { redirect: 'manual' })).status, 307);
  });
  await testAsync(report, 'fetch errors say what to do', async () => {
    serve(new Error('HTTP request to x is not allowed'));
    const error = await rejects(fetch('http://api.example/x'), 'TypeError');
    equal(error.message, "fetch: GET http://api.example/x failed: HTTP request to x is not allowed; the host 'api.example' must be listed in " +
      "network.allowedHosts of the package's manifest, and the operator must allow it");
    equal((error.cause as Error).message, 'HTTP request to x is not allowed');
    await rejects(fetch('ftp://x/'), 'TypeError');
    await rejects(fetch('nope'), 'TypeError');
  });
  await testAsync(report, 'fetch and signals', async () => {
    serve({ status: 200 });
    const controller = new AbortController();
    controller.abort();
    await rejects(fetch('http://x/', { signal: controller.signal }), 'AbortError');
    equal(sent.length, 0);
    const during = new AbortController();
    http.handler = () => {
      during.abort(new RangeError('why'));
      return { status: 200 };
    };
    await rejects(fetch('http://x/', { signal: during.signal }), 'RangeError');
  });
}

async function differential(report: Report, peer: Record<string, any>): Promise<void> {
  const next = numbers(5);
  const names = ['a', 'A', 'b', 'Set-Cookie', 'x-y', 'content-type', 'bad name', ''];
  const values = ['1', ' 2 ', '', 'a,b', 'x\ny', '\u00e9', '\u0100', 'text/html; charset=utf-8'];
  for (let i = 0; i < 1500; i++) {
    const steps = Array.from({ length: 1 + next(6) }, () => [['append', 'set', 'delete', 'append'][next(4)]!, names[next(next(3) ? 6 : 8)]!, values[next(next(3) ? 5 : 8)]!]);
    test(report, `peer headers ${JSON.stringify(steps)}`, () => {
      const use = (Class: any) => {
        const list = new Class({ a: '0' });
        const log = steps.map(([method, name, value]) => outcome(() => list[method!](name, value) ?? null));
        return [log, [...list], list.getSetCookie(), outcome(() => list.get(steps[0]![1]))];
      };
      equal(use(Headers), use(peer['Headers']));
    });
  }
  const types = ['text/html', 'text/html;charset=utf-8', 'TEXT/html; Charset="a b"', 'x', '', 'a/b;c', 'a/b;c=;d=e', 'a/b;c="', 'a/b; c="d\\"e" x;f=g', 'a/b;c=d;C=e', 'a/b, c/d', 'a /b', 'a/b;=x;y=z'];
  for (const type of types) {
    await testAsync(report, `peer blob type of ${type}`, async () => {
      const use = async (Class: any) => (await new Class('x', { headers: { 'content-type': type } }).blob()).type;
      equal(await use(Response), await use(peer['Response']));
    });
  }
  const pieces = ['a', '"', '\n', '\r\n', '\u00e9', '%', '--', ';', ' ', '\\'];
  for (let i = 0; i < 300; i++) {
    const build = (): string => Array.from({ length: next(5) }, () => pieces[next(pieces.length)]).join('');
    const fields = Array.from({ length: 1 + next(4) }, () => [build(), build(), next(2) ? `f${build()}` : undefined] as const);
    await testAsync(report, `peer multipart ${JSON.stringify(fields)}`, async () => {
      // What one side writes the other must read, and as it reads its own.
      const write = (FormClass: any, BlobClass: any, ResponseClass: any) => {
        const form = new FormClass();
        for (const [name, value, filename] of fields) filename === undefined ? form.append(name, value) : form.append(name, new BlobClass([value]), filename);
        return new ResponseClass(form);
      };
      const read = async (response: any, ResponseClass: any) => {
        const form = await new ResponseClass(await response.arrayBuffer(), { headers: { 'content-type': response.headers.get('content-type') } }).formData();
        return Promise.all([...form].map(async ([name, value]: any) => [name, typeof value === 'string' ? value : [value.name, value.type, await value.text()]]));
      };
      const mine = () => write(FormData, Blob, Response);
      const theirs = () => write(peer['FormData'], peer['Blob'], peer['Response']);
      const want = await read(mine(), Response);
      equal(await read(theirs(), Response), want, 'theirs, read by us');
      equal(await read(mine(), peer['Response']), want, 'ours, read by them');
    });
  }
}
