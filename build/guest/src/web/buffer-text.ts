// The text encodings of Buffer, both ways. Each name stands for what Node makes of
// it: none of them ever fails, they skip or stop at what they cannot use.

import { base64DecodeLoose, toBase64, base64UrlEncode } from 'neuralis:web/base64-codec';
import { fromByteString, fromUnits } from 'neuralis:web/encoding-bytes';
import { utf8Decode, utf8Encode, utf8Length } from 'neuralis:web/encoding-utf8';

export type BufferEncoding = 'utf8' | 'utf16le' | 'latin1' | 'ascii' | 'base64' | 'base64url' | 'hex';

/** The encoding a name stands for; undefined when it is none. */
export function knownEncoding(name: unknown): BufferEncoding | undefined {
  switch (`${name as string}`.toLowerCase()) {
    case 'utf8':
    case 'utf-8':
      return 'utf8';
    case 'ucs2':
    case 'ucs-2':
    case 'utf16le':
    case 'utf-16le':
      return 'utf16le';
    case 'latin1':
    case 'binary':
      return 'latin1';
    case 'ascii':
    case 'base64':
    case 'base64url':
    case 'hex':
      return `${name as string}`.toLowerCase() as BufferEncoding;
    default:
      return undefined;
  }
}

/** The same, UTF-8 when there is no name, and a TypeError for a wrong one. */
export function encodingOf(name: unknown): BufferEncoding {
  if (name === undefined || name === null || name === '') return 'utf8';
  const encoding = knownEncoding(name);
  if (encoding === undefined) throw Object.assign(new TypeError(`Unknown encoding: ${name as string}`), { code: 'ERR_UNKNOWN_ENCODING' });
  return encoding;
}

export function encodeText(text: string, encoding: BufferEncoding): Uint8Array<ArrayBuffer> {
  switch (encoding) {
    case 'utf8':
      return utf8Encode(text);
    case 'utf16le': {
      const bytes = new Uint8Array(text.length * 2);
      for (let i = 0; i < text.length; i++) {
        const unit = text.charCodeAt(i);
        bytes[2 * i] = unit;
        bytes[2 * i + 1] = unit >> 8;
      }
      return bytes;
    }
    case 'base64':
    case 'base64url':
      return base64DecodeLoose(text);
    case 'hex': {
      const wrong = text.search(/[^0-9a-fA-F]/);
      const length = wrong < 0 ? text.length : wrong;
      return Uint8Array.fromHex(text.slice(0, length - (length % 2)));
    }
    default:
      return fromByteString(text);
  }
}

export function decodeText(bytes: Uint8Array, encoding: BufferEncoding): string {
  switch (encoding) {
    case 'utf8':
      return utf8Decode(bytes);
    case 'utf16le': {
      const units = new Uint16Array(bytes.length >> 1);
      for (let i = 0; i < units.length; i++) units[i] = bytes[2 * i]! | (bytes[2 * i + 1]! << 8);
      return fromUnits(units);
    }
    case 'base64':
      return toBase64(bytes);
    case 'base64url':
      return base64UrlEncode(bytes);
    case 'hex':
      return bytes.toHex();
    case 'ascii':
      return fromUnits(Uint8Array.from(bytes, (byte) => byte & 0x7f));
    default:
      return fromUnits(bytes);
  }
}

/** How many bytes text takes; for base64 and hex what well-formed text would take, as in Node. */
export function textLength(text: string, encoding: BufferEncoding): number {
  switch (encoding) {
    case 'utf8':
      return utf8Length(text);
    case 'utf16le':
      return text.length * 2;
    case 'hex':
      return text.length >>> 1;
    case 'base64':
    case 'base64url':
      return (text.replace(/={1,2}$/, '').length * 3) >>> 2;
    default:
      return text.length;
  }
}
