// Base64 over bytes. The engine has it built in (Uint8Array.prototype.toBase64, ECMAScript 2026); the loops are for
// engines that do not yet. RFC 4648, section 4. What the decoders add is each caller's idea of which input
// is acceptable.

interface WithBase64 {
  toBase64?(): string;
}
const FromBase64 = Uint8Array as unknown as { fromBase64?(text: string): Uint8Array<ArrayBuffer> };
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Encodes bytes with padding. */
export function toBase64(bytes: Uint8Array): string {
  const built = (bytes as WithBase64).toBase64;
  if (built) return built.call(bytes);
  let text = '';
  for (let i = 0; i < bytes.length; i += 3) {
    const n = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0);
    text += alphabet[n >> 18]! + alphabet[(n >> 12) & 63]! + (i + 1 < bytes.length ? alphabet[(n >> 6) & 63]! : '=') + (i + 2 < bytes.length ? alphabet[n & 63]! : '=');
  }
  return text;
}

/** Decodes what is known to be base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  if (FromBase64.fromBase64) return FromBase64.fromBase64(text);
  const end = text.indexOf('=');
  const length = end < 0 ? text.length : end;
  const bytes = new Uint8Array((length * 3) >> 2);
  let n = 0, bits = 0, at = 0;
  for (let i = 0; i < length; i++) {
    n = ((n << 6) | alphabet.indexOf(text[i]!)) & 0xffffff;
    bits += 6;
    if (bits >= 8) bytes[at++] = n >> (bits -= 8);
  }
  return bytes;
}

/** Encodes bytes in the URL-safe alphabet, without padding. */
export function base64UrlEncode(bytes: Uint8Array): string {
  return toBase64(bytes).replace(/=+$/, '').replace(/\+/g, '-').replace(/\//g, '_');
}

/** The forgiving-base64 decode of the Infra Standard; undefined for failure. */
export function base64Decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  let data = text.replace(/[\t\n\f\r ]+/g, '');
  if (data.length % 4 === 0) data = data.replace(/={1,2}$/, '');
  if (data.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(data)) return undefined;
  return fromBase64(data);
}

/** Decodes either alphabet, skipping other characters and ending at the first '=', as Buffer does. */
export function base64DecodeLoose(text: string): Uint8Array<ArrayBuffer> {
  const end = text.indexOf('=');
  let data = (end < 0 ? text : text.slice(0, end)).replace(/[^A-Za-z0-9+/_-]+/g, '');
  if (data.length % 4 === 1) data = data.slice(0, -1);
  return fromBase64(data.replace(/-/g, '+').replace(/_/g, '/'));
}
