// Percent-encoding of the URL Standard, section 1.3. A set is a global regular
// expression that matches each code point to encode; everything above U+007E is
// in every set.

export const C0_CONTROL = /[^ -~]/gu;
export const FRAGMENT = /[^!#-;=?-_a-~]/gu;
export const QUERY = /[^!$-;=?-~]/gu;
export const SPECIAL_QUERY = /[^!$-&(-;=?-~]/gu;
export const PATH = /[^!$-;=@-\]_a-z|~]/gu;
export const USERINFO = /[^!$-.0-9A-Z_a-z~]/gu;
export const FORM = /[^*\-.0-9A-Z_a-z]/gu;

/** Encodes the code points of a well-formed string that the set matches. */
export function percentEncode(text: string, set: RegExp): string {
  return text.replace(set, encodePoint);
}

function encodePoint(point: string): string {
  const code = point.charCodeAt(0);
  if (code > 0x7f) return encodeURIComponent(point);
  return (code < 16 ? '%0' : '%') + code.toString(16).toUpperCase();
}
