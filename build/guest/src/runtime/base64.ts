// Base64 of whole bodies, for the JSON that carries them. The engine has it built in
// (Uint8Array.prototype.toBase64); the loops are for engines that do not yet.
// RFC 4648, section 4.

interface WithBase64 {
  toBase64?(): string;
}
const FromBase64 = Uint8Array as unknown as { fromBase64?(text: string): Uint8Array<ArrayBuffer> };
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

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
