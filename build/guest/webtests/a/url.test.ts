// URL and URLSearchParams: the web-platform-tests data, examples of the standard,
// and generated inputs compared with whatwg-url, the living reference
// implementation of the standard.

import urltestdata from 'testdata:urltestdata.json';
import settersTests from 'testdata:setters_tests.json';
import toascii from 'testdata:toascii.json';
import idnaTests from 'testdata:IdnaTestV2.json';
import { URL } from 'neuralis:web/url';
import { URLSearchParams } from 'neuralis:web/url-searchparams';
import { equal, numbers, outcome, test, throws, type Report } from './report';

const PARTS = ['href', 'origin', 'protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash'] as const;

export function run(report: Report): void {
  webPlatformURLs(report);
  webPlatformSetters(report);
  webPlatformDomains(report);
  newerRules(report);
  searchParams(report);
  if (report.peer) differential(report, report.peer.whatwgURL.URL, report.peer.whatwgURL.URLSearchParams);
}

// The data is of 2024. Since then the standard has begun to encode '^' in paths, and a
// space before the query or fragment of an opaque path instead of dropping it; and it takes
// an ASCII domain as it is, without a look at its Punycode.
function superseded(item: any): boolean {
  return /\^_/.test(item.href) || /\^_/.test(item.new_value) || (/^(data|sc):space/.test(item.href) && item.new_value === '') || item.new_value === 'xn--' ||
    ((item.failure || item.output === null) && /(^|\/|\.)xn--[\0-\x7f]*$/i.test(item.input) && !/[^\0-\x7f]/.test(item.input));
}

function webPlatformURLs(report: Report): void {
  for (const item of urltestdata ?? []) {
    if (typeof item === 'string' || superseded(item)) continue;
    const base = item.base === null ? undefined : item.base;
    test(report, `wpt url ${JSON.stringify(item.input)} base ${base}`, () => {
      if (item.failure) {
        throws(() => new URL(item.input, base), 'TypeError');
        equal(URL.canParse(item.input, base), false);
        equal(URL.parse(item.input, base), null);
        return;
      }
      const url = new URL(item.input, base) as any;
      for (const part of PARTS) if (part in item) equal(url[part], item[part], part);
      if ('searchParams' in item) equal(url.searchParams.toString(), item.searchParams, 'searchParams');
      equal(new URL(url.href).href, url.href, 'parsed again');
    });
  }
}

function webPlatformSetters(report: Report): void {
  for (const [property, cases] of Object.entries<any>(settersTests ?? {})) {
    if (property === 'comment') continue;
    for (const item of cases) {
      if (superseded(item)) continue;
      test(report, `wpt setter ${item.href} .${property} = ${JSON.stringify(item.new_value)}`, () => {
        const url = new URL(item.href) as any;
        url[property] = item.new_value;
        for (const [part, want] of Object.entries(item.expected)) equal(url[part], want, part);
      });
    }
  }
}

function webPlatformDomains(report: Report): void {
  for (const item of toascii ?? []) {
    if (typeof item === 'string' || superseded(item)) continue;
    test(report, `wpt toascii ${JSON.stringify(item.input)} ${item.comment ?? ''}`, () => equal(hostOf(URL, item.input), item.output));
  }
  // The answers in this file are of an old Unicode; its inputs are put to the reference implementation instead.
  const reference = report.peer?.whatwgURL?.URL;
  for (const item of reference ? idnaTests ?? [] : []) {
    if (typeof item === 'string') continue;
    test(report, `wpt idna ${JSON.stringify(item.input)} ${item.comment ?? ''}`, () => {
      const want = hostOf(reference, item.input);
      // The reference may know a newer Unicode than the engine: then it assigns what the engine does not.
      if (want !== null && /\p{Cn}/u.test(item.input)) return;
      equal(hostOf(URL, item.input), want);
    });
  }
}

function hostOf(Class: any, domain: string): string | null {
  return Class.canParse(`https://${encodeURIComponent(domain)}/x`) ? new Class(`https://${encodeURIComponent(domain)}/x`).host : null;
}

function newerRules(report: Report): void {
  test(report, 'a space before the query of an opaque path is encoded', () => {
    equal(new URL('data:space    ?x').href, 'data:space   %20?x');
    equal(new URL('data:space    #x').href, 'data:space   %20#x');
  });
  test(report, 'the error names the URL and the base', () => {
    try {
      new URL('/x', 'nope');
    } catch (error: any) {
      equal(error.message, "Invalid URL: '/x' with the base 'nope'");
      equal(error.code, 'ERR_INVALID_URL');
      return;
    }
    throw new Error('did not throw');
  });
  test(report, 'origin of blob', () => {
    equal(new URL('blob:https://example.org/x').origin, 'https://example.org');
    equal(new URL('blob:ftp://example.org/x').origin, 'null');
  });
  test(report, 'searchParams is live both ways', () => {
    const url = new URL('http://x/?a=1');
    const params = url.searchParams;
    params.append('b', 'c d');
    equal(url.href, 'http://x/?a=1&b=c+d');
    url.search = '?q=%20';
    equal([...params], [['q', ' ']]);
    url.href = 'http://y/?z';
    equal(params.toString(), 'z=');
    params.delete('z');
    equal(url.href, 'http://y/');
    equal(url.searchParams === params, true);
  });
}

function searchParams(report: Report): void {
  test(report, 'constructors', () => {
    equal(new URLSearchParams('?a=b&c').toString(), 'a=b&c=');
    equal(new URLSearchParams({ a: '1', b: '2' }).toString(), 'a=1&b=2');
    equal(new URLSearchParams([['a', '1'], new Set(['b', '2'])]).toString(), 'a=1&b=2');
    equal(new URLSearchParams(new URLSearchParams('x=y')).toString(), 'x=y');
    equal(new URLSearchParams({ '\ud835x': '1', xx: '2' }).toString(), '%EF%BF%BDx=1&xx=2');
    throws(() => new URLSearchParams([['a']] as any), 'TypeError');
    throws(() => new URLSearchParams(['ab', 'x'] as any), 'TypeError');
  });
  test(report, 'has and delete with a value', () => {
    const params = new URLSearchParams('a=b&a=d&c&e&');
    equal(params.has('a', 'b'), true);
    equal(params.has('a', 'c'), false);
    equal(params.has('a', undefined), true);
    params.delete('a', 'b');
    equal(params.toString(), 'a=d&c=&e=');
    equal(params.size, 3);
  });
  test(report, 'set keeps the first place', () => {
    const params = new URLSearchParams('a=1&b=2&a=3');
    params.set('a', 'x');
    equal(params.toString(), 'a=x&b=2');
    params.set('n', '1');
    equal(params.toString(), 'a=x&b=2&n=1');
  });
  test(report, 'sort is by code units and stable', () => {
    const params = new URLSearchParams('z=b&a=b&z=a&a=a&\ufffd&\ud83c\udf08&=1');
    params.sort();
    equal([...params.keys()], ['', 'a', 'a', 'z', 'z', '\ud83c\udf08', '\ufffd']);
    equal(params.getAll('z'), ['b', 'a']);
  });
  test(report, 'iteration is live', () => {
    const params = new URLSearchParams('a=1&b=2&c=3');
    const seen: string[] = [];
    for (const [name] of params) {
      seen.push(name);
      params.delete(name);
    }
    equal(seen, ['a', 'c']);
  });
  test(report, 'percent-decoding of what is not UTF-8', () => {
    equal([...new URLSearchParams('a=%e2%82%28&b=%zz&c=%e2%98%83+x')], [['a', '\ufffd('], ['b', '%zz'], ['c', '\u2603 x']]);
    equal(new URLSearchParams('id=0&value=%').get('value'), '%');
    equal(new URLSearchParams({ a: "!'()~*-._ \u00e9" }).toString(), 'a=%21%27%28%29%7E*-._+%C3%A9');
  });
  test(report, 'arguments are required', () => {
    throws(() => (new URLSearchParams() as any).append('x'), 'TypeError');
    throws(() => new URLSearchParams({ a: Symbol() } as any), 'TypeError');
  });
}

// Pieces that meet in URLs, put together at random: most results are odd, all must agree.
const PIECES = ['http:', 'https://', 'file:', 'foo:', 'ws://', 'data:', '//', '/', '\\', ':', '@', '?', '#', '..', '.', '%2e', '%2E%2e', 'a', 'B',
  'user', ':pw@', 'example.com', '[::1]', '[1:2::3:4.5.6.7]', '127.1', '0x7f', '0300.0250.1', '1e3', ':80', ':443', ':65536', ':0', ' ', '\t', '%zz', '%41',
  '\u00e9', '\u{1F600}', '\ud800', '"', "'", '<', '`', '{', '|', '^', '~', '$', '&', '+', ',', ';', '=', 'C:', 'C|', 'localhost', 'xn--', 'x\u00f6.de', '*', '!', '(', '[', ']', '\x7f', '\0'];

function differential(report: Report, PeerURL: any, PeerParams: any): void {
  const next = numbers(7);
  const build = (length: number): string => Array.from({ length: next(length) + 1 }, () => PIECES[next(PIECES.length)]).join('');
  const snapshot = (url: any): unknown => PARTS.map((part) => url[part]);
  for (let i = 0; i < 6000; i++) {
    const input = build(8);
    const base = i % 3 === 0 ? undefined : ['http://u:p@h:8/a/b?c#d', 'file:///C:/x/y', 'foo:opaque', 'foo://h/a/b', 'foo:/a/b', 'http://e.com'][next(6)];
    test(report, `peer url ${JSON.stringify(input)} base ${base}`, () => {
      equal(outcome(() => snapshot(new URL(input, base))), outcome(() => snapshot(new PeerURL(input, base))));
    });
  }
  const starts = ['http://u:p@h:8/a/b?c#d', 'https://example.com', 'file:///C:/x', 'file://h/x', 'foo:opaque ?q', 'foo://h/a', 'foo:/a/b', 'ftp://h:99/'];
  const setters = ['protocol', 'username', 'password', 'host', 'hostname', 'port', 'pathname', 'search', 'hash', 'href'];
  for (let i = 0; i < 4000; i++) {
    const start = starts[next(starts.length)]!;
    const property = setters[next(setters.length)]!;
    const value = build(4);
    test(report, `peer setter ${start} .${property} = ${JSON.stringify(value)}`, () => {
      const set = (URLClass: any) => outcome(() => {
        const url = new URLClass(start);
        url[property] = value;
        return snapshot(url);
      });
      equal(set(URL), set(PeerURL));
    });
  }
  for (let i = 0; i < 1000; i++) {
    const input = build(8) + '&' + build(4) + '=' + build(3);
    test(report, `peer params ${JSON.stringify(input)}`, () => {
      const use = (Class: any) => {
        const params = new Class(input);
        return [[...params], params.toString()];
      };
      equal(use(URLSearchParams), use(PeerParams));
    });
  }
}
