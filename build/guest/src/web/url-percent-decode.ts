// Percent-decoding to text. Literal characters are whole UTF-8 sequences, so each
// run of escapes can be decoded by itself: no sequence crosses its ends.

import { utf8Decode } from 'neuralis:web/encoding-utf8';

/** UTF-8 decodes the percent-decoded text, with U+FFFD for what is not UTF-8; malformed escapes stay. */
export function percentDecode(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, decodeRun);
}

function decodeRun(run: string): string {
  try {
    return decodeURIComponent(run);
  } catch {
    const bytes = new Uint8Array(run.length / 3);
    for (let i = 0; i < bytes.length; i++) bytes[i] = parseInt(run.slice(3 * i + 1, 3 * i + 3), 16);
    return utf8Decode(bytes);
  }
}
