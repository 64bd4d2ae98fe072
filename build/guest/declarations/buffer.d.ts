// Buffer, the one thing of Node that the sandbox has, because so many libraries want it.

type BufferEncoding = 'utf8' | 'utf-8' | 'utf16le' | 'utf-16le' | 'ucs2' | 'ucs-2' | 'latin1' | 'binary' | 'ascii' | 'base64' | 'base64url' | 'hex';

interface Buffer extends Uint8Array<ArrayBuffer> {
  toString(encoding?: BufferEncoding, start?: number, end?: number): string;
  toJSON(): { type: 'Buffer'; data: number[] };
  equals(other: Uint8Array): boolean;
  compare(other: Uint8Array, targetStart?: number, targetEnd?: number, sourceStart?: number, sourceEnd?: number): -1 | 0 | 1;
  copy(target: Uint8Array, targetStart?: number, sourceStart?: number, sourceEnd?: number): number;
  write(text: string, encoding?: BufferEncoding): number;
  write(text: string, offset: number, encoding?: BufferEncoding): number;
  write(text: string, offset: number, length: number, encoding?: BufferEncoding): number;
  slice(start?: number, end?: number): Buffer;
  subarray(start?: number, end?: number): Buffer;
  fill(value: string | Uint8Array | number, offset?: number, end?: number, encoding?: BufferEncoding): this;
  indexOf(value: string | number | Uint8Array, from?: number, encoding?: BufferEncoding): number;
  lastIndexOf(value: string | number | Uint8Array, from?: number, encoding?: BufferEncoding): number;
  includes(value: string | number | Uint8Array, from?: number, encoding?: BufferEncoding): boolean;
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
}

interface BufferConstructor {
  readonly prototype: Buffer;
  from(text: string, encoding?: BufferEncoding): Buffer;
  from(bytes: ArrayLike<number> | Iterable<number>): Buffer;
  from(buffer: ArrayBuffer, offset?: number, length?: number): Buffer;
  alloc(size: number, fill?: string | Uint8Array | number, encoding?: BufferEncoding): Buffer;
  allocUnsafe(size: number): Buffer;
  concat(list: readonly Uint8Array[], totalLength?: number): Buffer;
  byteLength(value: string | ArrayBuffer | ArrayBufferView, encoding?: BufferEncoding): number;
  compare(a: Uint8Array, b: Uint8Array): -1 | 0 | 1;
  isBuffer(value: unknown): value is Buffer;
  isEncoding(name: unknown): name is BufferEncoding;
}

declare var Buffer: BufferConstructor;

declare module 'buffer' {
  const exported: BufferConstructor;
  export { exported as Buffer };
  const all: { Buffer: BufferConstructor };
  export default all;
}

declare module 'node:buffer' {
  export * from 'buffer';
  export { default } from 'buffer';
}
