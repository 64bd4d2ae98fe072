// Base64 over bytes, on the engine's own Uint8Array base64 methods (ECMAScript
// 2026); what this adds is each caller's idea of which input is acceptable.

/** Encodes bytes with padding. */
export function base64Encode(bytes: Uint8Array): string {
  return bytes.toBase64();
}

/** Encodes bytes in the URL-safe alphabet, without padding. */
export function base64UrlEncode(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: 'base64url', omitPadding: true });
}

/** The forgiving-base64 decode of the Infra Standard; undefined for failure. */
export function base64Decode(text: string): Uint8Array<ArrayBuffer> | undefined {
  let data = text.replace(/[\t\n\f\r ]+/g, '');
  if (data.length % 4 === 0) data = data.replace(/={1,2}$/, '');
  if (data.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(data)) return undefined;
  return Uint8Array.fromBase64(data);
}

/** Decodes either alphabet, skipping other characters and ending at the first '=', as Buffer does. */
export function base64DecodeLoose(text: string): Uint8Array<ArrayBuffer> {
  const end = text.indexOf('=');
  let data = (end < 0 ? text : text.slice(0, end)).replace(/[^A-Za-z0-9+/_-]+/g, '');
  if (data.length % 4 === 1) data = data.slice(0, -1);
  return Uint8Array.fromBase64(data.replace(/-/g, '+').replace(/_/g, '/'));
}
