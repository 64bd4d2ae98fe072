// Bytes behind a WebIDL BufferSource, and byte strings (one code unit per
// byte), which several modules pass around. Nothing here knows an encoding.

/** What the specifications call BufferSource. */
export type BytesLike = ArrayBufferLike | ArrayBufferView;

/** Reports whether value is an ArrayBuffer, a SharedArrayBuffer or a view of one. */
export function isBytesLike(value: unknown): value is BytesLike {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer ||
    (typeof SharedArrayBuffer === 'function' && value instanceof SharedArrayBuffer);
}

/** The bytes of a BufferSource, sharing its memory. Throws TypeError for anything else. */
export function bytesOf(value: unknown, what: string): Uint8Array {
  if (value instanceof Uint8Array) return value;
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (isBytesLike(value)) return new Uint8Array(value as ArrayBuffer);
  throw new TypeError(`${what} must be an ArrayBuffer or a view of one`);
}

/** A copy of the bytes of a BufferSource in an ArrayBuffer of their own. */
export function copyOf(value: unknown, what: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytesOf(value, what));
}

/** The exact bytes of an array as an ArrayBuffer; a copy only when the view is a part of its buffer. */
export function exactBuffer(bytes: Uint8Array): ArrayBuffer {
  if (bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength) return bytes.buffer;
  return new Uint8Array(bytes).buffer;
}

// Function.prototype.apply takes its arguments on the engine's stack: bounded
// chunks keep it small, and are as fast as larger ones.
const CHUNK = 4096;

/** One character per array element: a byte string for bytes, UTF-16 for 16-bit units. */
export function fromUnits(units: Uint8Array | Uint16Array): string {
  if (units.length <= CHUNK) return String.fromCharCode.apply(null, units as unknown as number[]);
  let text = '';
  for (let i = 0; i < units.length; i += CHUNK) {
    text += String.fromCharCode.apply(null, units.subarray(i, i + CHUNK) as unknown as number[]);
  }
  return text;
}

/** The low byte of every code unit. */
export function fromByteString(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Joins chunks into one array. */
export function concatBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0;
  for (const chunk of chunks) length += chunk.byteLength;
  const all = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.byteLength;
  }
  return all;
}
