// UTF-8, the codec under TextEncoder, TextDecoder, bodies, Blob and Buffer.
//
// The engine converts natively; the loops below run only for input that is not
// valid UTF-8, because an interpreted loop costs about half a microsecond per
// byte. The engine's decoder answers invalid bytes with one U+FFFD each and
// lets surrogates through, where the Encoding Standard wants one U+FFFD per
// maximal subpart. So its answer is taken when it is provably exact: no U+FFFD
// in the text and no 0xED (the only lead byte of encoded surrogates) in the
// bytes, or else when encoding it again gives the same bytes.

import { native } from 'neuralis:native';

/** Encodes text; lone surrogates become U+FFFD. */
export function utf8Encode(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(native(13, text.toWellFormed()) as ArrayBuffer);
}

/** The number of bytes utf8Encode gives. */
export function utf8Length(text: string): number {
  return (native(13, text.toWellFormed()) as ArrayBuffer).byteLength;
}

/** Decodes bytes, with U+FFFD for what is invalid. A byte order mark is kept. */
export function utf8Decode(bytes: Uint8Array): string {
  return utf8TryDecode(bytes) ?? decodeInvalid(bytes);
}

/** Decodes bytes that are valid UTF-8; undefined when they are not. A byte order mark is kept. */
export function utf8TryDecode(bytes: Uint8Array): string | undefined {
  if (bytes.byteLength === 0) return '';
  const text = decodeRange(bytes, 0, bytes.byteLength);
  if (!text.includes('\uFFFD') && bytes.indexOf(0xed) < 0) return text;
  if (typeof bytes.toHex === 'function') {
    return text.isWellFormed() && utf8Encode(text).toHex() === bytes.toHex() ? text : undefined;
  }
  return validUntil(bytes, 0) === bytes.byteLength ? text : undefined;
}

/**
 * How many bytes at the end are the beginning of a sequence that more bytes
 * could complete: 0 to 3. A streaming decoder holds these back.
 */
export function utf8IncompleteTail(bytes: Uint8Array): number {
  const end = bytes.byteLength;
  for (let back = 1; back <= 3 && back <= end; back++) {
    const byte = bytes[end - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    return byte >= 0xc2 && subpart(bytes, end - back) === -back ? back : 0;
  }
  return 0;
}

function decodeRange(bytes: Uint8Array, from: number, to: number): string {
  return native(14, bytes.buffer, bytes.byteOffset + from, to - from) as string;
}

function decodeInvalid(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.byteLength;) {
    const end = validUntil(bytes, at);
    if (end > at) text += decodeRange(bytes, at, end);
    if (end === bytes.byteLength) break;
    text += '\uFFFD';
    at = end + Math.abs(subpart(bytes, end));
  }
  return text;
}

/** The index of the first byte at or after at that begins no complete sequence. */
function validUntil(bytes: Uint8Array, at: number): number {
  const end = bytes.byteLength;
  while (at < end) {
    const lead = bytes[at]!;
    if (lead < 0x80) {
      at++;
      continue;
    }
    const length = subpart(bytes, at);
    if (length !== sequenceLength(lead)) return at;
    at += length;
  }
  return at;
}

function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}

/**
 * The length of the maximal subpart of a sequence that begins at at: the whole
 * sequence when it is complete, else the bytes one U+FFFD stands for. Negative
 * when the end of input, not a wrong byte, cut the sequence short.
 */
function subpart(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  const want = sequenceLength(lead);
  let low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  let high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  let length = 1;
  for (; length < want; length++) {
    const byte = bytes[at + length];
    if (byte === undefined) return -length;
    if (byte < low || byte > high) return length;
    low = 0x80;
    high = 0xbf;
  }
  return length;
}
