// atob and btoa of the HTML Standard.

import { DOMException } from 'neuralis:web/domexception';
import { base64Decode, toBase64 } from 'neuralis:web/base64-codec';
import { fromByteString, fromUnits } from 'neuralis:web/encoding-bytes';

/** Decodes base64, white space and missing padding forgiven, to a string with one character per byte. */
export function atob(data: string): string {
  const bytes = base64Decode(`${data}`);
  if (bytes === undefined) throw new DOMException('atob: the string is not correctly encoded base64', 'InvalidCharacterError');
  return fromUnits(bytes);
}

/** Encodes a string with one character per byte (U+0000 to U+00FF) as base64. */
export function btoa(data: string): string {
  const text = `${data}`;
  if (/[^\0-\xff]/.test(text)) {
    throw new DOMException('btoa: the string has characters above U+00FF; encode it with TextEncoder first', 'InvalidCharacterError');
  }
  return toBase64(fromByteString(text));
}
