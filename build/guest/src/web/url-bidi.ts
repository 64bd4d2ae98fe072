// The two contextual rules of IDNA: joiners (RFC 5892, appendix A) and
// bidirectional labels (RFC 5893, section 2).
//
// Bidirectional classes and joining types are not among the properties that
// JavaScript regular expressions know. Right-to-left letters, Arabic numbers and
// non-spacing marks are derived from blocks and categories, exactly as far as
// Unicode 17 goes; left-to-right symbols outside of the letters, marks and digits count
// as neutral, and every letter of a cursive script other than Arabic as dual-joining.

const RTL_BLOCKS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
// Numbers, punctuation and symbols in those blocks that are neutral all the same.
const NEUTRAL_IN_RTL = /* @__PURE__ */ new RegExp('[\\p{Mn}\\p{Me}\\u0606\\u0607\\u0609\\u060a\\u060c\\u060e\\u060f\\u066a\\u06de\\u06e9\\u06f0-\\u06f9\\u07f6-\\u07f9' +
  '\\ufb29\\ufbc3-\\ufbd2\\ufd3e-\\ufd4f\\ufd90\\ufd91\\ufdc8-\\ufdcf\\ufdfd-\\ufdff\\u{1091f}\\u{10b39}-\\u{10b3f}\\u{10d6e}\\u{10ed0}-\\u{10ed8}' +
  '\\u{10eee}\\u{1eef0}\\u{1eef1}]', 'u');
const ARABIC_NUMBER = /[\u0600-\u0605\u0660-\u0669\u066b\u066c\u06dd\u0890\u0891\u08e2\u{10d30}-\u{10d39}\u{10d40}-\u{10d49}\u{10e60}-\u{10e7e}]/u;
const EUROPEAN_NUMBER = /[0-9\u06f0-\u06f9\u{102e1}-\u{102fb}\u{1ccf0}-\u{1ccf9}\u{1fbf0}-\u{1fbf9}]/u;
const LTR = /(?![\u02b9\u02ba\u02c2-\u02cf\u02d2-\u02df\u02e5-\u02ed\u02ef-\u02ff\ua67f\ua717-\ua71f\ua788])[\p{L}\p{Nl}\p{Mc}\p{Nd}]/u;

/** L, R (and AL), AN, EN, NSM; '' for all others. */
function bidiClass(point: string): string {
  if (ARABIC_NUMBER.test(point)) return 'AN';
  if (EUROPEAN_NUMBER.test(point)) return 'EN';
  if (/[\p{Mn}\p{Me}]/u.test(point)) return 'NSM';
  if (RTL_BLOCKS.test(point)) return NEUTRAL_IN_RTL.test(point) ? '' : 'R';
  return LTR.test(point) ? 'L' : '';
}

/** Reports whether the labels satisfy the Bidi Rule, which only binds a domain with right-to-left labels. */
export function validBidi(labels: readonly string[]): boolean {
  if (!labels.some((label) => RTL_BLOCKS.test(label))) return true;
  const classes = labels.map((label) => Array.from(label, bidiClass));
  return !classes.some((label) => label.includes('R') || label.includes('AN')) || classes.every(validBidiLabel);
}

function validBidiLabel(classes: string[]): boolean {
  if (classes.length === 0) return true;
  const last = classes.findLast((c) => c !== 'NSM')!;
  if (classes[0] === 'R') {
    return !classes.includes('L') && ['R', 'EN', 'AN'].includes(last) && !(classes.includes('EN') && classes.includes('AN'));
  }
  return classes[0] === 'L' && !classes.includes('R') && !classes.includes('AN') && (last === 'L' || last === 'EN');
}

// Code points with canonical combining class 9 (virama).
const VIRAMA = /* @__PURE__ */ new RegExp('[\\u094d\\u09cd\\u0a4d\\u0acd\\u0b4d\\u0bcd\\u0c4d\\u0ccd\\u0d3b\\u0d3c\\u0d4d\\u0dca\\u0e3a\\u0eba\\u0f84\\u1039\\u103a\\u1714' +
  '\\u1715\\u1734\\u17d2\\u1a60\\u1b44\\u1baa\\u1bab\\u1bf2\\u1bf3\\u2d7f\\ua806\\ua82c\\ua8c4\\ua953\\ua9c0\\uaaf6\\uabed\\u{10a3f}\\u{11046}\\u{11070}' +
  '\\u{1107f}\\u{110b9}\\u{11133}\\u{11134}\\u{111c0}\\u{11235}\\u{112ea}\\u{1134d}\\u{113ce}-\\u{113d0}\\u{11442}\\u{114c2}\\u{115bf}\\u{1163f}' +
  '\\u{116b6}\\u{1172b}\\u{11839}\\u{1193d}\\u{1193e}\\u{119e0}\\u{11a34}\\u{11a47}\\u{11a99}\\u{11c3f}\\u{11d44}\\u{11d45}\\u{11d97}\\u{11f41}' +
  '\\u{11f42}\\u{1612f}]$', 'u');
const CURSIVE_BLOCKS = /[\u0620-\u08ff\u1807-\u18aa\ua840-\ua872\u{10ac0}-\u{10aef}\u{10b80}-\u{10baf}\u{10d00}-\u{10d23}\u{10f30}-\u{10fcb}\u{1e900}-\u{1e943}]/u;
// Arabic-script letters that join on their right side only, or not at all.
const NOT_DUAL = /* @__PURE__ */ new RegExp('[\\u0621-\\u0625\\u0627\\u0629\\u062f-\\u0632\\u0648\\u0671-\\u0677\\u0688-\\u0699\\u06c0\\u06c3-\\u06cb\\u06cd\\u06cf\\u06d2-\\u06d5' +
  '\\u06ee\\u06ef\\u0710\\u0715-\\u0719\\u071e\\u0728\\u072a\\u072c\\u072f\\u074d\\u0759-\\u075b\\u076b\\u076c\\u0771\\u0773\\u0774\\u0778\\u0779' +
  '\\u0870-\\u0882\\u088e\\u08aa-\\u08ac\\u08ae\\u08b1\\u08b2\\u08b9]', 'u');

/** Reports whether each ZERO WIDTH JOINER and NON-JOINER stands where it has an effect. */
export function validJoiners(label: string): boolean {
  for (const match of label.matchAll(/[\u200c\u200d]/g)) {
    const before = label.slice(0, match.index);
    if (VIRAMA.test(before)) continue;
    if (match[0] === '\u200d') return false;
    const left = /(.)[\p{Mn}\p{Me}]*$/u.exec(before)?.[1] ?? '';
    const right = /^[\p{Mn}\p{Me}]*(.)/u.exec(label.slice(match.index + 1))?.[1] ?? '';
    if (!joins(left) || NOT_DUAL.test(left) || !joins(right)) return false;
  }
  return true;
}

function joins(point: string): boolean {
  return CURSIVE_BLOCKS.test(point) && /\p{L}/u.test(point) && point !== '\u0621' && point !== '\u0674';
}
