// Domain to ASCII: UTS #46 (non-transitional, CheckBidi, CheckJoiners), as the
// URL Standard asks for it.
//
// UTS #46 is defined by a table of nine thousand ranges. There is no table here:
// the mapping is derived from what the engine knows of Unicode: lower-casing,
// NFKC, general categories. For Unicode 17 it agrees with the table on every code
// point but U+037A, which is forbidden in URLs either way.

import { validBidi, validJoiners } from 'neuralis:web/url-bidi';
import { punycodeDecode, punycodeEncode } from 'neuralis:web/url-punycode';

/** The ASCII form of a domain; undefined is failure. */
export function domainToASCII(domain: string): string | undefined {
  // Whatever its Punycode means: the standard gives up checking that for the sake of the Web.
  if (isASCII(domain)) return domain.toLowerCase();
  const mapped = mapDomain(domain);
  if (mapped === undefined) return undefined;
  const labels: string[] = [];
  const ascii: string[] = [];
  for (const label of mapped.split('.')) {
    if (label.startsWith('xn--')) {
      const decoded = isASCII(label) ? punycodeDecode(label.slice(4)) : undefined;
      // An ASCII-only or empty label has no business being encoded.
      if (decoded === undefined || isASCII(decoded) || mapDomain(decoded) !== decoded || !validLabel(decoded)) return undefined;
      labels.push(decoded);
      ascii.push(label);
    } else {
      const encoded = isASCII(label) ? label : punycodeEncode(label);
      if (encoded === undefined || !validLabel(label)) return undefined;
      labels.push(label);
      ascii.push(encoded === label ? label : `xn--${encoded}`);
    }
  }
  return validBidi(labels) ? ascii.join('.') : undefined;
}

function isASCII(text: string): boolean {
  return !/[^\0-\x7f]/.test(text);
}

const IGNORED = /* @__PURE__ */ new RegExp('[\\xad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u2064\\u206a-\\u206f\\u3164' +
  '\\ufe00-\\ufe0f\\ufeff\\uffa0\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0100}-\\u{e01ef}]', 'u');
const DISALLOWED = /[\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\x80-\x9f\u1680\u2ff0-\u2fff\u31ef\ufffc\ufffd]|(?![\u200c\u200d])\p{Cf}/u;

/** Maps every code point and normalises; undefined when one is disallowed. */
function mapDomain(domain: string): string | undefined {
  let out = '';
  for (const point of domain) {
    if (point <= '\x7f') {
      out += point.toLowerCase();
    } else if (!IGNORED.test(point)) {
      const mapped = mapPoint(point);
      if (DISALLOWED.test(mapped)) return undefined;
      out += mapped;
    }
  }
  return out.normalize('NFC');
}

function mapPoint(point: string): string {
  if (/[\u3002\uff0e\uff61]/.test(point)) return '.';
  // The final sigma is kept, and Cherokee folds to its capitals.
  if (/[\u03c2\u13a0-\u13f5]/.test(point)) return point;
  if (/[\u13f8-\u13fd\uab70-\uabbf]/.test(point)) return point.toUpperCase();
  const folded = /[\u0345\u1c80-\u1c88\u1f80-\u1fff]/.test(point) ? point.toUpperCase() : point;
  const mapped = folded.toLowerCase().normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll('\u03c2', '\u03c3');
  // No other code point may turn into a label separator.
  return /[.\u3002]/.test(mapped) ? '\ufffd' : mapped;
}

function validLabel(label: string): boolean {
  return !label.startsWith('xn--') && !/^\p{M}|\./u.test(label) && validJoiners(label);
}
