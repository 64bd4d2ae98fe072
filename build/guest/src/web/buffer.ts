// Buffer, for the many libraries that were written for Node: the part of its API that
// works on bytes in memory. This module is also what `node:buffer` resolves to.

import { atob, btoa } from 'neuralis:web/base64';
import { Blob, File } from 'neuralis:web/blob';
import { addNumberMethods, outOfRange, wrongType, type NumberMethods } from 'neuralis:web/buffer-numbers';
import { decodeText, encodeText, encodingOf, knownEncoding, textLength } from 'neuralis:web/buffer-text';
import { bytesOf, isBytesLike } from 'neuralis:web/encoding-bytes';
import { utf8TryDecode } from 'neuralis:web/encoding-utf8';

export { atob, Blob, btoa, File };

/** The largest Buffer, in bytes: what the engine can address. */
export const kMaxLength = 0x7fffffff;
export const kStringMaxLength = 0x1fffffe8;
export const constants = { MAX_LENGTH: kMaxLength, MAX_STRING_LENGTH: kStringMaxLength };
export const INSPECT_MAX_BYTES = 50;

/** Reports whether the bytes are valid UTF-8. */
export function isUtf8(input: ArrayBuffer | ArrayBufferView): boolean {
  return utf8TryDecode(bytesOf(input, 'the input')) !== undefined;
}

/** Reports whether all bytes are below 0x80. */
export function isAscii(input: ArrayBuffer | ArrayBufferView): boolean {
  return bytesOf(input, 'the input').every((byte) => byte < 0x80);
}

// The static side of Buffer differs from that of Uint8Array on purpose, as in Node.
const Base = Uint8Array as unknown as {
  new (length: number): Uint8Array<ArrayBuffer>;
  new (buffer: ArrayBufferLike, offset?: number, length?: number): Uint8Array<ArrayBuffer>;
};

type Pattern = string | number | boolean | Uint8Array;

function sizeOf(size: unknown): number {
  if (typeof size !== 'number') throw wrongType('size', 'of type number', size);
  if (!(size >= 0 && size <= kMaxLength)) throw outOfRange('size', `>= 0 && <= ${kMaxLength}`, size);
  return size;
}

function bytesArgument(value: unknown, name: string): Uint8Array {
  if (!(value instanceof Uint8Array)) throw wrongType(name, 'an instance of Buffer or Uint8Array', value);
  return value;
}

/** Clamps a position as slice, toString and fill do. */
function clamp(position: number | undefined, length: number, absent: number): number {
  if (position === undefined) return absent;
  const whole = Math.trunc(+position) || 0;
  return Math.min(Math.max(whole, 0), length);
}

/** A position that must be a whole number within a range. */
function position(value: unknown, name: string, absent: number, highest = Number.MAX_SAFE_INTEGER): number {
  if (value === undefined) return absent;
  if (typeof value !== 'number') throw wrongType(name, 'of type number', value);
  if (!Number.isInteger(value)) throw outOfRange(name, 'an integer', value);
  if (value < 0 || value > highest) throw outOfRange(name, `>= 0 && <= ${highest}`, value);
  return value;
}

/** A position that is made a whole number. */
function lenient(value: number | undefined, name: string, absent: number, highest = Number.MAX_SAFE_INTEGER): number {
  const whole = value === undefined ? absent : Math.trunc(+value) || 0;
  if (whole < 0 || whole > highest) throw outOfRange(name, `>= 0 && <= ${highest}`, value);
  return whole;
}

function adopt(bytes: Uint8Array): Buffer {
  return new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function compareBytes(a: Uint8Array, b: Uint8Array): -1 | 0 | 1 {
  const common = Math.min(a.length, b.length);
  for (let i = 0; i < common; i++) {
    if (a[i] !== b[i]) return a[i]! < b[i]! ? -1 : 1;
  }
  return a.length === b.length ? 0 : a.length < b.length ? -1 : 1;
}

class BufferClass extends Base {
  static readonly poolSize = 8192;

  static from(value: unknown, encodingOrOffset?: any, length?: number): Buffer {
    if (typeof value === 'string') return adopt(encodeText(value, encodingOf(encodingOrOffset)));
    if (value instanceof ArrayBuffer || (isBytesLike(value) && !ArrayBuffer.isView(value))) {
      const offset = encodingOrOffset === undefined ? 0 : Math.trunc(+encodingOrOffset) || 0;
      const room = value.byteLength - offset;
      const size = length === undefined ? room : Math.max(Math.trunc(+length) || 0, 0);
      if (offset < 0 || room < 0 || size > room) {
        const name = room < 0 || offset < 0 ? 'offset' : 'length';
        throw Object.assign(new RangeError(`"${name}" is outside of buffer bounds`), { code: 'ERR_BUFFER_OUT_OF_BOUNDS' });
      }
      return new Buffer(value, offset, size);
    }
    if (typeof value === 'object' && value !== null) {
      const inner: unknown = value.valueOf?.();
      if (inner !== value && (typeof inner === 'string' || (typeof inner === 'object' && inner !== null))) {
        return BufferClass.from(inner, encodingOrOffset, length);
      }
      const { length: count, buffer, type, data } = value as any;
      if (count !== undefined || buffer instanceof ArrayBuffer) return typeof count === 'number' ? fromArray(value as ArrayLike<number>) : new Buffer(0);
      if (type === 'Buffer' && Array.isArray(data)) return fromArray(data);
      if (typeof (value as any)[Symbol.toPrimitive] === 'function') {
        const primitive = (value as any)[Symbol.toPrimitive]('string');
        if (typeof primitive === 'string') return BufferClass.from(primitive, encodingOrOffset);
      }
    }
    throw wrongType('first', 'of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object', value);
  }

  static of(...items: number[]): Buffer {
    return fromArray(items);
  }

  static alloc(size: number, fill?: Pattern, encoding?: string): Buffer {
    const buffer = new Buffer(sizeOf(size));
    return fill === undefined || fill === 0 || size === 0 ? buffer : buffer.fill(fill, encoding);
  }

  static allocUnsafe(size: number): Buffer {
    return new Buffer(sizeOf(size));
  }

  static allocUnsafeSlow(size: number): Buffer {
    return new Buffer(sizeOf(size));
  }

  static concat(list: readonly Uint8Array[], totalLength?: number): Buffer {
    if (!Array.isArray(list)) throw wrongType('list', 'an instance of Array', list);
    list.forEach((item, i) => bytesArgument(item, `list[${i}]`));
    const length = totalLength ?? list.reduce((sum, item) => sum + item.length, 0);
    const all = new Buffer(position(length, 'length', 0, kMaxLength));
    let at = 0;
    for (const item of list) {
      if (at >= all.length) break;
      all.set(item.subarray(0, all.length - at), at);
      at += item.length;
    }
    return all;
  }

  static byteLength(value: string | ArrayBufferLike | ArrayBufferView, encoding?: string): number {
    if (typeof value === 'string') return textLength(value, knownEncoding(encoding) ?? 'utf8');
    if (!isBytesLike(value)) throw wrongType('string', 'of type string or an instance of Buffer or ArrayBuffer', value);
    return value.byteLength;
  }

  static compare(a: Uint8Array, b: Uint8Array): -1 | 0 | 1 {
    return compareBytes(bytesArgument(a, 'buf1'), bytesArgument(b, 'buf2'));
  }

  static isBuffer(value: unknown): value is Buffer {
    return value instanceof Buffer;
  }

  static isEncoding(name: unknown): boolean {
    return typeof name === 'string' && name !== '' && knownEncoding(name) !== undefined;
  }

  get parent(): ArrayBuffer {
    return this.buffer;
  }

  get offset(): number {
    return this.byteOffset;
  }

  override toString(encoding?: string, start?: number, end?: number): string {
    const from = clamp(start, this.length, 0);
    const to = clamp(end, this.length, this.length);
    if (to <= from) return '';
    const bytes = from === 0 && to === this.length ? this : this.subarray(from, to);
    return decodeText(bytes, encodingOf(encoding));
  }

  override toLocaleString(...range: any[]): string {
    return this.toString(...range);
  }

  toJSON(): { type: 'Buffer'; data: number[] } {
    return { type: 'Buffer', data: Array.from(this) };
  }

  equals(other: Uint8Array): boolean {
    bytesArgument(other, 'otherBuffer');
    // The engine compares strings far faster than a loop compares bytes.
    return this.length === other.length && (this.length < 32 ? compareBytes(this, other) === 0 : this.toHex() === other.toHex());
  }

  compare(target: Uint8Array, targetStart?: number, targetEnd?: number, sourceStart?: number, sourceEnd?: number): -1 | 0 | 1 {
    bytesArgument(target, 'target');
    const from = position(targetStart, 'targetStart', 0);
    const to = position(targetEnd, 'targetEnd', target.length, target.length);
    const mineFrom = position(sourceStart, 'sourceStart', 0);
    const mineTo = position(sourceEnd, 'sourceEnd', this.length, this.length);
    return compareBytes(this.subarray(mineFrom, Math.max(mineFrom, mineTo)), target.subarray(from, Math.max(from, to)));
  }

  copy(target: Uint8Array, targetStart?: number, sourceStart?: number, sourceEnd?: number): number {
    bytesArgument(target, 'target');
    const at = lenient(targetStart, 'targetStart', 0);
    const from = lenient(sourceStart, 'sourceStart', 0, this.length);
    const to = Math.min(lenient(sourceEnd, 'sourceEnd', this.length), this.length);
    if (at >= target.length || from >= to) return 0;
    const part = this.subarray(from, Math.min(to, from + target.length - at));
    target.set(part, at);
    return part.length;
  }

  write(text: string, offset?: number | string, length?: number | string, encoding?: string): number {
    if (typeof text !== 'string') throw wrongType('argument', 'of type string', text);
    // As in Node: without an offset the other arguments do not count.
    if (offset === undefined) [length, encoding] = [undefined, undefined];
    else if (typeof offset === 'string' && length === undefined) [offset, encoding] = [undefined, offset];
    const at = position(offset, 'offset', 0, this.length);
    if (typeof length === 'string') [length, encoding] = [undefined, length];
    const room = Math.min(position(length, 'length', this.length, this.length), this.length - at);
    const kind = encodingOf(encoding);
    const bytes = encodeText(text, kind);
    let count = Math.min(bytes.length, room);
    // No character is written in part.
    if (kind === 'utf8') while (count < bytes.length && count > 0 && (bytes[count]! & 0xc0) === 0x80) count--;
    if (kind === 'utf16le') count -= count % 2;
    this.set(bytes.subarray(0, count), at);
    return count;
  }

  /** A view of a part, sharing memory: unlike Uint8Array's slice it copies nothing. */
  override slice(start?: number, end?: number): Buffer {
    return this.subarray(start, end);
  }

  override fill(value: any, offset?: number | string, end?: number | string, encoding?: string): this {
    const text = typeof value === 'string';
    // As in Node: without an offset the end does not count, nor does the encoding.
    if (offset === undefined || (text && typeof offset === 'string')) [offset, end, encoding] = [undefined, undefined, offset];
    else if (text && typeof end === 'string') [end, encoding] = [undefined, end];
    const kind = encodingOf(text ? encoding : undefined);
    const from = position(offset, 'offset', 0);
    const to = position(end, 'end', this.length, this.length);
    if (from >= to) return this;
    if (value === '' || (!text && !(value instanceof Uint8Array))) {
      super.fill(+value & 0xff, from, to);
      return this;
    }
    const pattern = text ? encodeText(value, kind) : value;
    if (pattern.length === 0) {
      throw Object.assign(new TypeError(`The argument 'value' is invalid. Received ${JSON.stringify(value)}`), { code: 'ERR_INVALID_ARG_VALUE' });
    }
    // Doubling what is filled needs few calls, each of them native.
    let done = Math.min(pattern.length, to - from);
    this.set(pattern.subarray(0, done), from);
    for (const total = to - from; done < total; done *= 2) this.copyWithin(from + done, from, from + Math.min(done, total - done));
    return this;
  }

  override indexOf(value: any, from?: number | string, encoding?: string): number {
    return find(this, value, from, encoding, true);
  }

  override lastIndexOf(value: any, from?: number | string, encoding?: string): number {
    return find(this, value, from, encoding, false);
  }

  override includes(value: any, from?: number | string, encoding?: string): boolean {
    return this.indexOf(value, from as number, encoding) >= 0;
  }

  swap16(): this {
    return swap(this, 2);
  }

  swap32(): this {
    return swap(this, 4);
  }

  swap64(): this {
    return swap(this, 8);
  }
}

interface BufferClass extends NumberMethods {
  subarray(start?: number, end?: number): Buffer;
}

function fromArray(items: ArrayLike<number>): Buffer {
  const buffer = new Buffer(Math.max(Math.trunc(items.length) || 0, 0));
  if (items instanceof Uint8Array) buffer.set(items);
  else for (let i = 0; i < buffer.length; i++) buffer[i] = items[i]!;
  return buffer;
}

function find(bytes: Uint8Array, value: Pattern, from: number | string | undefined, encoding: string | undefined, forward: boolean): number {
  if (typeof from === 'string') [from, encoding] = [undefined, from];
  let wide = false;
  let needle: Uint8Array;
  if (typeof value === 'number') {
    needle = Uint8Array.of(value);
  } else if (typeof value === 'string') {
    const kind = encodingOf(encoding);
    wide = kind === 'utf16le';
    needle = encodeText(value, kind);
  } else {
    needle = bytesArgument(value, 'value');
  }
  const length = bytes.length;
  let at = from === undefined ? NaN : Math.trunc(Math.min(Math.max(+from, -kMaxLength), kMaxLength));
  if (Number.isNaN(at)) at = forward ? 0 : length;
  if (at < 0) at += length;
  if (at < 0) {
    if (!forward) return -1;
    at = 0;
  }
  if (needle.length === 0) return Math.min(at, length);
  const last = length - needle.length;
  const step = wide ? 2 : 1;
  if (!forward) {
    for (let i = Math.min(at, last); i >= 0; i--) {
      i = Uint8Array.prototype.lastIndexOf.call(bytes, needle[0]!, i);
      if (i >= 0 && i % step === 0 && matches(bytes, needle, i)) return i;
    }
    return -1;
  }
  for (let i = at; i <= last; i++) {
    i = Uint8Array.prototype.indexOf.call(bytes, needle[0]!, i);
    if (i < 0 || i > last) return -1;
    if (i % step === 0 && matches(bytes, needle, i)) return i;
  }
  return -1;
}

function matches(bytes: Uint8Array, needle: Uint8Array, at: number): boolean {
  for (let i = 1; i < needle.length; i++) if (bytes[at + i] !== needle[i]) return false;
  return true;
}

function swap<T extends Uint8Array>(bytes: T, size: number): T {
  if (bytes.length % size !== 0) {
    throw Object.assign(new RangeError(`Buffer size must be a multiple of ${size * 8}-bits`), { code: 'ERR_INVALID_BUFFER_SIZE' });
  }
  for (let i = 0; i < bytes.length; i += size) bytes.subarray(i, i + size).reverse();
  return bytes;
}

function finish(target: typeof BufferClass): typeof BufferClass {
  addNumberMethods(target.prototype);
  Object.defineProperty(target, 'name', { value: 'Buffer', configurable: true });
  return target;
}

/** Bytes with Node's methods. */
export const Buffer = /* @__PURE__ */ finish(BufferClass);
export type Buffer = BufferClass;
export { Buffer as SlowBuffer };

export default { Buffer, SlowBuffer: Buffer, Blob, File, atob, btoa, constants, kMaxLength, kStringMaxLength, INSPECT_MAX_BYTES, isUtf8, isAscii };
