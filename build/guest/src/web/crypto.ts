// crypto. Web Cryptography API, W3C: getRandomValues, randomUUID, and of subtle the digests
// and HMAC. Randomness is the host's.

import { randomBytes } from '../native.ts';
import { DOMException } from './domexception.ts';
import { requireArguments } from './interface.ts';
import { randomPool } from './random-pool.ts';
import { subtle } from './subtle.ts';

const quota = 65536;

/** Fills an array of whole numbers with random bits, at most 65536 bytes, and returns it. */
function getRandomValues<T extends ArrayBufferView>(array: T): T {
  requireArguments('crypto.getRandomValues', arguments.length, 1);
  if (!ArrayBuffer.isView(array)) throw new TypeError('crypto.getRandomValues: the argument must be a typed array');
  const type = String((array as { [Symbol.toStringTag]?: string })[Symbol.toStringTag]);
  if (!/^(Big)?(Ui|I)nt\d+(Clamped)?Array$/.test(type)) {
    throw new DOMException(`crypto.getRandomValues: ${type} is not an array of whole numbers`, 'TypeMismatchError');
  }
  if (array.byteLength > quota) {
    throw new DOMException(`crypto.getRandomValues: ${array.byteLength} bytes are more than the ${quota} that one call gives`, 'QuotaExceededError');
  }
  const bytes = array.byteLength <= 64 ? randomPool(array.byteLength) : new Uint8Array(randomBytes(array.byteLength));
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(bytes);
  return array;
}

/** A random UUID, version 4 of RFC 9562. */
function randomUUID(): string {
  const bytes = randomPool(16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => (byte + 0x100).toString(16).slice(1)).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export const crypto = { getRandomValues, randomUUID, subtle };
