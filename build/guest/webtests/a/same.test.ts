// What the modules answer to generated input, written down. The answers in Node are
// known to be right from the other suites; those in the engine must be the same.

import idnaTests from 'testdata:IdnaTestV2.json';
import { Buffer } from 'neuralis:web/buffer';
import { TextDecoder } from 'neuralis:web/encoding';
import { URL } from 'neuralis:web/url';
import { URLPattern } from 'neuralis:web/urlpattern';
import { numbers, outcome, type Report } from './report';

export function run(report: Report & { answers?: string[] }): void {
  const answers: string[] = (report.answers = []);
  const next = numbers(23);
  const pick = <T>(list: readonly T[]): T => list[next(list.length)]!;
  const build = (pieces: readonly string[], most: number): string => Array.from({ length: 1 + next(most) }, () => pick(pieces)).join('');
  const note = (what: string, body: () => unknown): void => {
    answers.push(JSON.stringify([what, outcome(body)], (_, value) => (typeof value === 'bigint' ? `${value}n` : value)));
    report.passed++;
  };
  for (const item of idnaTests ?? []) {
    // Node 20 and the engine may differ in the version of Unicode.
    if (typeof item === 'string' || /\p{Cn}/u.test(item.input)) continue;
    note(`idna ${item.input}`, () => new URL(`https://${encodeURIComponent(item.input)}/`).host);
  }
  const urls = ['http:', 'file:', 'foo:', '//', '/', '\\', ':', '@', '?', '#', '..', '%2e', 'a', 'B.com', '[::1]', '127.1', '0x7f', ':80', ' ', '%zz', '\u00e9', '\u{1F600}', '\ud800', '"', '^', '|', 'C|', 'xn--', '\0'];
  for (let i = 0; i < 1500; i++) {
    const [input, base] = [build(urls, 7), pick([undefined, 'http://u:p@h:8/a/b?c#d', 'file:///C:/x/y', 'foo:opaque'])];
    note(`url ${input} ${base}`, () => {
      const url = new URL(input, base);
      url.searchParams.append(input, '\u00e9');
      return [url.href, url.origin];
    });
  }
  const bytes = [0, 0x41, 0x7f, 0x80, 0x9f, 0xa0, 0xbf, 0xc1, 0xc2, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf4, 0xf5, 0xbb, 0xd8, 0xdc];
  for (let i = 0; i < 1500; i++) {
    const data = new Uint8Array(Array.from({ length: next(12) }, () => pick(bytes)));
    const [label, fatal] = [pick(['utf-8', 'utf-16le', 'utf-16be', 'latin1']), next(3) === 0];
    note(`decode ${label} ${data}`, () => new TextDecoder(label, { fatal }).decode(data));
  }
  const encodings = ['utf8', 'hex', 'base64', 'base64url', 'latin1', 'ascii', 'utf16le'];
  // No floating point: the engine does not always write a double with the fewest digits.
  const numeric = ['UInt8', 'UInt16LE', 'Int32BE', 'BigInt64LE', 'BigUInt64BE', 'IntLE', 'UIntBE'];
  const values = [0, -1, 127, 255, 256, 65535, 2 ** 31, 1.5, NaN, 5n, -1n, -(2n ** 63n), 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n];
  for (let i = 0; i < 1500; i++) {
    const [text, from, to, kind, value] = [build(['a', '00', 'fF', '=', '-_', '\u00e9', '\u{1f600}', '\ud800', ' '], 8), pick(encodings), pick(encodings), pick(numeric), pick(values)];
    note(`buffer ${text} ${from} ${to} ${kind} ${value}`, () => {
      const buffer = Buffer.alloc(9, text, from);
      return [Buffer.from(text, from).toString(to), outcome(() => (buffer as any)[`write${kind}`](value, 1, 5)), buffer.toString('hex'), outcome(() => (buffer as any)[`read${kind}`](0, 3)), buffer.indexOf(text, 1, from)];
    });
  }
  for (let i = 0; i < 800; i++) {
    const [pathname, input] = [`/${build(['/a', 'b', ':x', ':y', '*', '(\\d+)', '{', '}', '?', '+', '/:w', '{/q}', '\\.'], 5)}`, `/${build(['a', '/b', '12', '/q', '.'], 4)}`];
    note(`pattern ${pathname} ${input}`, () => {
      const pattern = new URLPattern({ pathname });
      return [pattern.pathname, pattern.exec({ pathname: input })?.pathname.groups ?? null];
    });
  }
}
