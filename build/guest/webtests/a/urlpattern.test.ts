// URLPattern: examples of the standard, and generated patterns compared with the
// npm package urlpattern-polyfill.

import { URLPattern } from 'neuralis:web/urlpattern';
import { equal, numbers, outcome, test, throws, type Report } from './report';

const PARTS = ['protocol', 'username', 'password', 'hostname', 'port', 'pathname', 'search', 'hash'] as const;

export function run(report: Report): void {
  matching(report);
  strings(report);
  writing(report);
  refusing(report);
  if (report.peer) differential(report, report.peer['urlPatternPolyfill']);
}

function matching(report: Report): void {
  for (const [pattern, input, groups] of [
    ['/foo/bar', '/foo/bar', {}],
    ['/foo/bar', '/foo/bar/', null],
    ['/foo/:bar', '/foo/index.html', { bar: 'index.html' }],
    ['/foo/:bar', '/foo/a/b', null],
    ['/foo/:bar?', '/foo', { bar: undefined }],
    ['/foo/:bar*', '/foo', { bar: undefined }],
    ['/foo/:bar*', '/foo/a/b', { bar: 'a/b' }],
    ['/foo/:bar+', '/foo', null],
    ['/foo/:bar+', '/foo/a/b', { bar: 'a/b' }],
    ['/foo/*', '/foo/a/b', { 0: 'a/b' }],
    ['/foo/*', '/foo', null],
    ['/foo{/*}?', '/foo', { 0: undefined }],
    ['/foo/(\\d+)', '/foo/12', { 0: '12' }],
    ['/foo/:id(\\d+)', '/foo/x', null],
    ['/foo/:id(\\d+)\\.:ext(png|jpg)', '/foo/7.png', { id: '7', ext: 'png' }],
    ['/:a{-:b}?', '/x-y', { a: 'x', b: 'y' }],
    ['/:a{-:b}?', '/x', { a: 'x', b: undefined }],
    ['{/a}+', '/a/a', {}],
    ['/caf\u00e9', '/caf%C3%A9', {}],
    ['/a b', '/a%20b', {}],
    ['/:caf\u00e9', '/x', { 'caf\u00e9': 'x' }],
    ['/foo/../bar', '/bar', {}],
    ['/[a-z]', '/[a-z]', {}],
  ] as [string, string, object | null][]) {
    test(report, `pathname ${pattern} on ${input}`, () => {
      const found = new URLPattern({ pathname: pattern }).exec({ pathname: input });
      equal(found === null ? null : Object.entries(found.pathname.groups), groups === null ? null : Object.entries(groups));
      equal(new URLPattern({ pathname: pattern }).test(`https://example.com${input}`), groups !== null);
    });
  }
  test(report, 'all components of a result', () => {
    const found = new URLPattern('https://:sub.example.com:8080/:page\\?q=:q#*').exec('https://u:p@a.example.com:8080/x?q=1#h')!;
    equal(PARTS.map((part) => found[part].input), ['https', 'u', 'p', 'a.example.com', '8080', '/x', 'q=1', 'h']);
    equal([found.hostname.groups, found.pathname.groups, found.search.groups, found.hash.groups], [{ sub: 'a' }, { page: 'x' }, { q: '1' }, { 0: 'h' }]);
    equal(found.inputs, ['https://u:p@a.example.com:8080/x?q=1#h']);
  });
  test(report, 'inputs with bases', () => {
    const pattern = new URLPattern('/a/:id', 'https://example.com/x?y');
    equal([pattern.protocol, pattern.hostname, pattern.port, pattern.pathname, pattern.search], ['https', 'example.com', '', '/a/:id', '*']);
    equal(pattern.test('/a/1', 'https://example.com'), true);
    equal(pattern.exec('/a/1', 'https://example.com')!.inputs, ['/a/1', 'https://example.com']);
    equal(pattern.test('/a/1'), false);
    equal(pattern.test({ pathname: '1', baseURL: 'https://example.com/a/b' }), true);
    equal(pattern.test('/a/1', 'nope'), false);
    throws(() => pattern.test({ pathname: '/a/1' }, 'https://example.com'), 'TypeError');
    equal(new URLPattern({ pathname: 'b/:c', baseURL: 'https://x/a/d' }).pathname, '/a/b/:c');
  });
  test(report, 'ignoreCase', () => {
    equal(new URLPattern({ pathname: '/Foo' }, { ignoreCase: true }).test({ pathname: '/fOO' }), true);
    equal(new URLPattern({ pathname: '/Foo' }).test({ pathname: '/fOO' }), false);
    equal(new URLPattern('/Foo?A', 'https://x', { ignoreCase: true }).test('https://x/foo?a'), true);
    equal(new URLPattern('https://x/Foo', { ignoreCase: true }).test('https://x/foo'), true);
  });
  test(report, 'hasRegExpGroups', () => {
    equal([new URLPattern(), new URLPattern({ pathname: '/:a/*' }), new URLPattern({ hash: '(x)' }), new URLPattern({ pathname: '/([^\\/]+?)' })].map((p) => p.hasRegExpGroups),
      [false, false, true, false]);
  });
  test(report, 'ports', () => {
    equal(new URLPattern({ protocol: 'https', port: '443' }).port, '');
    equal(new URLPattern('https://x:443/').test('https://x/'), true);
    equal(new URLPattern({ protocol: 'http{s}?', port: '443' }).port, '443');
    equal(new URLPattern('https://x:{80,}?/').port, '{80}?');
  });
  test(report, 'opaque paths', () => {
    equal(new URLPattern('data\\:foobar').test('data:foobar'), true);
    equal(new URLPattern({ protocol: 'about', pathname: '(blank|sourcedoc)' }).test('about:blank'), true);
    equal(new URLPattern({ protocol: 'javascript', pathname: 'var x = 1;' }).test({ protocol: 'javascript', pathname: 'var x = 1;' }), true);
  });
}

function strings(report: Report): void {
  for (const [input, want] of [
    ['https://foo.com/bar', { protocol: 'https', username: '*', password: '*', hostname: 'foo.com', port: '', pathname: '/bar', search: '*', hash: '*' }],
    ['https://user\\:pw@foo.com:80/?q#h', { username: 'user', password: 'pw', hostname: 'foo.com', port: '80', pathname: '/', search: 'q', hash: 'h' }],
    ['https://foo.com', { pathname: '*', search: '*', hash: '*' }],
    ['https://foo.com?q', { pathname: '/', search: 'q', hash: '*' }],
    ['https://foo.com#h', { pathname: '/', search: '', hash: 'h' }],
    ['https://{sub.}?foo.com/a?', null],
    ['https://foo.com/a\\?b', { pathname: '/a', search: 'b' }],
    ['https://[\\:\\:1]/', { hostname: '[\\:\\:1]' }],
    ['https://[\\:\\:AB\\::num]/', { hostname: '[\\:\\:ab\\::num]' }],
    ['http{s}?://*.foo.com/:x', { protocol: 'http{s}?', hostname: '*.foo.com', pathname: '/:x' }],
    ['data\\:a', { protocol: 'data', hostname: '', pathname: 'a' }],
    ['foo://bar', { protocol: 'foo', hostname: 'bar' }],
  ] as [string, Record<string, string> | null][]) {
    test(report, `string ${input}`, () => {
      if (want === null) {
        // The '?' after 'a' begins the search: 'a' is no group.
        equal(new URLPattern(input).search, '');
        return;
      }
      const pattern = new URLPattern(input) as any;
      for (const [part, value] of Object.entries(want)) equal(pattern[part], value, part);
    });
  }
}

function writing(report: Report): void {
  for (const [pathname, want] of [
    ['/foo/:bar', '/foo/:bar'], ['/foo/(.*)', '/foo/*'], ['/foo(.*)', '/foo*'], ['/foo/([^\\/]+?)', '/foo/([^\\/]+?)'], ['/{:a}b', '/{:a}b'],
    ['/:a{b}', '{/:a}b'], ['{/:a}', '/:a'], ['/{a}', '/a'], ['/a{b}?', '/a{b}?'], ['/\\:a', '/\\:a'], ['/*/(.*)', '/*/*'], ['*(.*)', '*(.*)'], ['/x/:a(\\d+)?', '/x/:a(\\d+)?'],
    ['/:a:b', '/:a:b'], ['/{(.*)}', '/{*}'], ['/\u00e9', '/%C3%A9'], ['{a}*', '{a}*'],
  ]) {
    test(report, `written ${pathname}`, () => equal(new URLPattern({ pathname: pathname! }).pathname, want));
  }
}

function refusing(report: Report): void {
  for (const init of [
    '/no/base', { pathname: '(' }, { pathname: '/(?a)' }, { pathname: '/()' }, { pathname: '/((a))' }, { pathname: '/(\u00e9)' }, { pathname: '{' }, { pathname: '}' },
    { pathname: '/:a/:a' }, { pathname: '\\' }, { pathname: ': ' }, { pathname: '+' }, { pathname: '{:a:b}' }, { port: 'x' }, { port: '65536' }, { hostname: 'a b' },
    { hostname: 'a\\:b' }, { protocol: 'a b' }, { hostname: '[g]' }, { baseURL: 'nope' },
  ] as any[]) {
    test(report, `refused ${JSON.stringify(init)}`, () => throws(() => new URLPattern(init), 'TypeError'));
  }
  test(report, 'refused: an object with a base', () => throws(() => new (URLPattern as any)({ pathname: '/' }, 'https://x'), 'TypeError'));
}

function differential(report: Report, Peer: any): void {
  const next = numbers(17);
  const pick = <T>(list: readonly T[]): T => list[next(list.length)]!;
  const pieces = ['/', '/a', '/b', 'c', '.', '-', ':x', ':y', ':z', '*', '(\\d+)', '(a|b)', '{', '}', '?', '+', '/:w', '{/q}', '{:v}', '\\:', '\\.'];
  const paths = ['/', '/a', '/a/b', '/b/c.d', '/1', '/a/12', '/q', '/a-b', '/a/b/c', '/aa', '/:', '/q/q', ''];
  for (let i = 0; i < 1500; i++) {
    const pathname = `/${Array.from({ length: 1 + next(5) }, () => pick(pieces)).join('')}`;
    const input = pick(paths) + pick(paths);
    if (input.startsWith('//')) continue; // the package takes what follows for a host
    test(report, `peer pathname ${pathname} on ${input}`, () => {
      const use = (Class: any) => outcome(() => {
        const pattern = new Class({ pathname });
        const found = pattern.exec({ pathname: input });
        return [pattern.pathname, found === null ? null : Object.entries(found.pathname.groups)];
      });
      equal(use(URLPattern), use(Peer));
    });
  }
  const parts = ['https', 'http{s}?', 'foo', '://', ':', 'a.com', ':sub.', '*', '{x.}?', ':80', ':8080', '/', '/p', '/:q', '\\?', '?s=1', '#', '#h', 'u', '@', '(a|b)'];
  const urls = ['https://a.com/', 'https://x.a.com/p?s=1#h', 'http://a.com:8080/p', 'foo://a.com/', 'https://u:u@a.com/p#h', 'foo:a'];
  for (let i = 0; i < 1500; i++) {
    const string = pick(['https://', 'http{s}?://', 'foo://', '']) + Array.from({ length: 1 + next(6) }, () => pick(parts)).join('');
    const url = pick(urls);
    // Where the package is not up to the standard: it drops '#' and '?' inside of components and slashes at
    // their beginning, refuses ports that go on after their digits, and takes any protocol.
    if (/#.*#|\?.*\\\?|:80(80)?\w|\/\/|\/:q#|^[:{(*\\]|\/.*@/.test(string.replace(/^(https|http\{s\}\?|foo):\/\//, '$1:'))) continue;
    test(report, `peer string ${string} on ${url}`, () => {
      const use = (Class: any) => outcome(() => {
        const pattern = new Class(string);
        return [PARTS.map((part) => pattern[part]), pattern.test(url)];
      });
      equal(use(URLPattern), use(Peer));
    });
  }
}
