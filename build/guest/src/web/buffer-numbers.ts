// The numbers in a Buffer: readUInt16LE, writeDoubleBE and their many siblings, made
// from one table instead of written out sixty times.

type Endian = 'LE' | 'BE';

export interface NumberMethods {
  readUInt8(offset?: number): number;
  readUInt16LE(offset?: number): number;
  readUInt16BE(offset?: number): number;
  readUInt32LE(offset?: number): number;
  readUInt32BE(offset?: number): number;
  readInt8(offset?: number): number;
  readInt16LE(offset?: number): number;
  readInt16BE(offset?: number): number;
  readInt32LE(offset?: number): number;
  readInt32BE(offset?: number): number;
  readFloatLE(offset?: number): number;
  readFloatBE(offset?: number): number;
  readDoubleLE(offset?: number): number;
  readDoubleBE(offset?: number): number;
  readBigInt64LE(offset?: number): bigint;
  readBigInt64BE(offset?: number): bigint;
  readBigUInt64LE(offset?: number): bigint;
  readBigUInt64BE(offset?: number): bigint;
  readUIntLE(offset: number, byteLength: number): number;
  readUIntBE(offset: number, byteLength: number): number;
  readIntLE(offset: number, byteLength: number): number;
  readIntBE(offset: number, byteLength: number): number;
  writeUInt8(value: number, offset?: number): number;
  writeUInt16LE(value: number, offset?: number): number;
  writeUInt16BE(value: number, offset?: number): number;
  writeUInt32LE(value: number, offset?: number): number;
  writeUInt32BE(value: number, offset?: number): number;
  writeInt8(value: number, offset?: number): number;
  writeInt16LE(value: number, offset?: number): number;
  writeInt16BE(value: number, offset?: number): number;
  writeInt32LE(value: number, offset?: number): number;
  writeInt32BE(value: number, offset?: number): number;
  writeFloatLE(value: number, offset?: number): number;
  writeFloatBE(value: number, offset?: number): number;
  writeDoubleLE(value: number, offset?: number): number;
  writeDoubleBE(value: number, offset?: number): number;
  writeBigInt64LE(value: bigint, offset?: number): number;
  writeBigInt64BE(value: bigint, offset?: number): number;
  writeBigUInt64LE(value: bigint, offset?: number): number;
  writeBigUInt64BE(value: bigint, offset?: number): number;
  writeUIntLE(value: number, offset: number, byteLength: number): number;
  writeUIntBE(value: number, offset: number, byteLength: number): number;
  writeIntLE(value: number, offset: number, byteLength: number): number;
  writeIntBE(value: number, offset: number, byteLength: number): number;
}

/** The error Node throws for a number that is out of range. */
export function outOfRange(name: string, range: string, value: unknown): RangeError {
  const error = new RangeError(`The value of "${name}" is out of range. It must be ${range}. Received ${String(value)}`);
  return Object.assign(error, { code: 'ERR_OUT_OF_RANGE' });
}

/** The error Node throws for an argument of a wrong type. */
export function wrongType(name: string, wanted: string, value: unknown): TypeError {
  const got = value === null ? 'null' : typeof value === 'object' ? `an instance of ${value.constructor?.name ?? 'Object'}` : `type ${typeof value}`;
  return Object.assign(new TypeError(`The "${name}" argument must be ${wanted}. Received ${got}`), { code: 'ERR_INVALID_ARG_TYPE' });
}

function place(bytes: Uint8Array, offset: unknown, size: number): number {
  if (typeof offset !== 'number') throw wrongType('offset', 'of type number', offset);
  if (!Number.isInteger(offset)) throw outOfRange('offset', 'an integer', offset);
  if (bytes.length < size) {
    throw Object.assign(new RangeError('Attempt to access memory outside buffer bounds'), { code: 'ERR_BUFFER_OUT_OF_BOUNDS' });
  }
  if (offset < 0 || offset > bytes.length - size) throw outOfRange('offset', `>= 0 and <= ${bytes.length - size}`, offset);
  return offset;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

// Node's name, DataView's name, bytes, and the bits of an integer (negative: signed).
const KINDS = [
  ['UInt8', 'Uint8', 1, 8], ['UInt16', 'Uint16', 2, 16], ['UInt32', 'Uint32', 4, 32], ['Int8', 'Int8', 1, -8], ['Int16', 'Int16', 2, -16],
  ['Int32', 'Int32', 4, -32], ['Float', 'Float32', 4, 0], ['Double', 'Float64', 8, 0], ['BigUInt64', 'BigUint64', 8, 64], ['BigInt64', 'BigInt64', 8, -64],
] as const;

function checked(value: any, bits: number): any {
  if (bits === 0) return value;
  if (Math.abs(bits) === 64) {
    if (typeof value !== 'bigint') throw wrongType('value', 'of type bigint', value);
    // Not by BigInt.asUintN, nor against numbers: the engine is wrong about either near 2 ** 63.
    const [least, most] = bits > 0 ? [0n, 0xffff_ffff_ffff_ffffn] : [-0x8000_0000_0000_0000n, 0x7fff_ffff_ffff_ffffn];
    if (value < least || value > most) {
      throw outOfRange('value', bits > 0 ? '>= 0n and < 2n ** 64n' : '>= -(2n ** 63n) and < 2n ** 63n', value);
    }
    return value;
  }
  const number = +value;
  const low = bits > 0 ? 0 : -(2 ** (-bits - 1));
  const high = (bits > 0 ? 2 ** bits : 2 ** (-bits - 1)) - 1;
  // NaN is let through, and written as 0.
  if (number < low || number > high) throw outOfRange('value', `>= ${low} and <= ${high}`, value);
  return number;
}

/** Adds the methods to a prototype of byte arrays, each under Node's two spellings (UInt, Uint). */
export function addNumberMethods(prototype: object): void {
  const add = (name: string, method: (this: Uint8Array, ...args: any[]) => unknown): void => {
    for (const spelling of new Set([name, name.replace('UInt', 'Uint')])) {
      Object.defineProperty(prototype, spelling, { value: method, writable: true, configurable: true });
    }
  };
  for (const [name, native, size, bits] of KINDS) {
    for (const endian of size === 1 ? [''] : ['LE', 'BE']) {
      const little = endian === 'LE';
      add(`read${name}${endian}`, function (offset = 0) {
        const at = place(this, offset, size);
        return view(this)[`get${native}`](at, little);
      });
      add(`write${name}${endian}`, function (value, offset = 0) {
        const number = checked(value, bits);
        const at = place(this, offset, size);
        view(this)[`set${native}`](at, number as never, little);
        return at + size;
      });
    }
  }
  for (const endian of ['LE', 'BE'] as const) {
    add(`readUInt${endian}`, function (offset, length) {
      return readAny(this, offset, length, endian);
    });
    add(`readInt${endian}`, function (offset, length) {
      const value = readAny(this, offset, length, endian);
      return value >= 2 ** (8 * length - 1) ? value - 2 ** (8 * length) : value;
    });
    add(`writeUInt${endian}`, function (value, offset, length) {
      return writeAny(this, value, offset, length, endian, 1);
    });
    add(`writeInt${endian}`, function (value, offset, length) {
      return writeAny(this, value, offset, length, endian, -1);
    });
  }
}

function width(length: unknown): number {
  if (typeof length !== 'number') throw wrongType('byteLength', 'of type number', length);
  if (!Number.isInteger(length)) throw outOfRange('byteLength', 'an integer', length);
  if (length < 1 || length > 6) throw outOfRange('byteLength', '>= 1 and <= 6', length);
  return length;
}

function readAny(bytes: Uint8Array, offset: unknown, length: unknown, endian: Endian): number {
  if (offset === undefined) throw wrongType('offset', 'of type number', offset);
  const size = width(length);
  const at = place(bytes, offset, size);
  let value = 0;
  for (let i = 0; i < size; i++) value = value * 256 + bytes[endian === 'BE' ? at + i : at + size - 1 - i]!;
  return value;
}

function writeAny(bytes: Uint8Array, value: unknown, offset: unknown, length: unknown, endian: Endian, sign: 1 | -1): number {
  if (offset === undefined) throw wrongType('offset', 'of type number', offset);
  const size = width(length);
  let rest = Math.trunc(checked(value, sign * size * 8)) || 0;
  const at = place(bytes, offset, size);
  for (let i = 0; i < size; i++) {
    bytes[endian === 'LE' ? at + i : at + size - 1 - i] = rest;
    rest = Math.floor(rest / 256);
  }
  return at + size;
}
