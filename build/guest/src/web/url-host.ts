// Hosts: domains, IPv4 and IPv6 addresses, opaque hosts (URL Standard, section
// 3). A host is kept as its serialisation, IPv6 in brackets.

import { C0_CONTROL, percentEncode } from 'neuralis:web/url-percent';
import { percentDecode } from 'neuralis:web/url-percent-decode';
import { domainToASCII } from 'neuralis:web/url-idna';

const FORBIDDEN_HOST = /[\0\t\n\r #/:<>?@[\\\]^|]/;
const FORBIDDEN_DOMAIN = /[\0-\x20#%/:<>?@[\\\]^|\x7f]/;

/** Parses a host; undefined is failure. Opaque hosts are those of non-special schemes. */
export function parseHost(input: string, opaque: boolean): string | undefined {
  if (input.startsWith('[')) {
    if (!input.endsWith(']')) return undefined;
    const pieces = parseIPv6(input.slice(1, -1));
    return pieces && `[${serializeIPv6(pieces)}]`;
  }
  if (opaque) return FORBIDDEN_HOST.test(input) ? undefined : percentEncode(input, C0_CONTROL);
  const domain = domainToASCII(percentDecode(input));
  if (domain === undefined || domain === '' || FORBIDDEN_DOMAIN.test(domain)) return undefined;
  return endsInNumber(domain) ? parseIPv4(domain) : domain;
}

function endsInNumber(domain: string): boolean {
  const parts = domain.split('.');
  if (parts.at(-1) === '' && parts.length > 1) parts.pop();
  const last = parts.at(-1)!;
  return /^[0-9]+$/.test(last) || /^0x[0-9a-f]*$/i.test(last);
}

function parseIPv4(input: string): string | undefined {
  const parts = input.split('.');
  if (parts.at(-1) === '' && parts.length > 1) parts.pop();
  if (parts.length > 4) return undefined;
  const numbers = parts.map(parseIPv4Number);
  const last = numbers.pop();
  let address = 0;
  for (const number of numbers) {
    if (!(number <= 255)) return undefined;
    address = address * 256 + number;
  }
  const room = 256 ** (4 - numbers.length);
  if (last === undefined || !(last < room)) return undefined;
  address = address * room + last;
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

/** Decimal, octal (0…) or hexadecimal (0x…); NaN is failure. */
function parseIPv4Number(text: string): number {
  if (/^0x[0-9a-f]*$/i.test(text)) return text.length === 2 ? 0 : parseInt(text.slice(2), 16);
  if (/^0[0-7]+$/.test(text)) return parseInt(text, 8);
  return /^(?:0|[1-9][0-9]*)$/.test(text) ? parseInt(text, 10) : NaN;
}

function parseIPv6(input: string): number[] | undefined {
  const halves = input.split('::');
  if (halves.length > 2) return undefined;
  const pieces = halves.map((half, i) => parsePieces(half, i === halves.length - 1));
  const [head, tail] = pieces;
  if (head === undefined) return undefined;
  if (halves.length === 1) return head.length === 8 ? head : undefined;
  if (tail === undefined || head.length + tail.length > 7) return undefined;
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** The 16-bit pieces of one side of '::'; a dotted IPv4 address may end the address. */
function parsePieces(text: string, atEnd: boolean): number[] | undefined {
  if (text === '') return [];
  const pieces: number[] = [];
  const parts = text.split(':');
  for (const [i, part] of parts.entries()) {
    if (/^[0-9a-fA-F]{1,4}$/.test(part)) {
      pieces.push(parseInt(part, 16));
      continue;
    }
    if (!atEnd || i !== parts.length - 1) return undefined;
    const dotted = /^(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})\.(0|[1-9]\d{0,2})$/.exec(part);
    if (dotted === null) return undefined;
    const [a, b, c, d] = dotted.slice(1).map(Number) as [number, number, number, number];
    if (Math.max(a, b, c, d) > 255) return undefined;
    pieces.push(a * 256 + b, c * 256 + d);
  }
  return pieces;
}

function serializeIPv6(pieces: number[]): string {
  // The first longest run of two or more zeros becomes '::'.
  let start = -1;
  let longest = 1;
  for (let i = 0; i < 8; i++) {
    let end = i;
    while (end < 8 && pieces[end] === 0) end++;
    if (end - i > longest) {
      start = i;
      longest = end - i;
    }
    if (end > i) i = end;
  }
  const hex = pieces.map((piece) => piece.toString(16));
  if (start < 0) return hex.join(':');
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + longest).join(':')}`;
}
