// Punycode (RFC 3492), over arrays of code points.

const BASE = 36, T_MIN = 1, T_MAX = 26, SKEW = 38, DAMP = 700, INITIAL_BIAS = 72, INITIAL_N = 128;
const MAX = 0x7fffffff;

function adapt(delta: number, points: number, first: boolean): number {
  delta = first ? Math.floor(delta / DAMP) : delta >> 1;
  delta += Math.floor(delta / points);
  let k = 0;
  for (; delta > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) delta = Math.floor(delta / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * delta) / (delta + SKEW));
}

function threshold(k: number, bias: number): number {
  return Math.min(Math.max(k - bias, T_MIN), T_MAX);
}

/** Encodes a label, without the xn-- prefix; undefined on overflow. */
export function punycodeEncode(label: string): string | undefined {
  const input = Array.from(label, (c) => c.codePointAt(0)!);
  let output = String.fromCodePoint(...input.filter((c) => c < 0x80));
  const basic = output.length;
  let handled = basic;
  if (basic > 0) output += '-';
  let n = INITIAL_N, delta = 0, bias = INITIAL_BIAS;
  while (handled < input.length) {
    const next = input.reduce((least, c) => (c >= n && c < least ? c : least), Infinity);
    delta += (next - n) * (handled + 1);
    if (delta > MAX) return undefined;
    n = next;
    for (const c of input) {
      if (c < n) delta++;
      if (c !== n) continue;
      let q = delta;
      for (let k = BASE; ; k += BASE) {
        const t = threshold(k, bias);
        if (q < t) break;
        output += digit(t + ((q - t) % (BASE - t)));
        q = Math.floor((q - t) / (BASE - t));
      }
      output += digit(q);
      bias = adapt(delta, handled + 1, handled === basic);
      delta = 0;
      handled++;
    }
    delta++;
    n++;
  }
  return output;
}

/** Decodes a label, without the xn-- prefix; undefined when it is not Punycode. */
export function punycodeDecode(text: string): string | undefined {
  const dash = text.lastIndexOf('-');
  const output = dash > 0 ? Array.from(text.slice(0, dash), (c) => c.codePointAt(0)!) : [];
  if (output.some((c) => c >= 0x80)) return undefined;
  let n = INITIAL_N, i = 0, bias = INITIAL_BIAS;
  for (let at = dash + 1; at < text.length;) {
    const before = i;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      const value = at < text.length ? parseInt36(text.charCodeAt(at++)) : -1;
      if (value < 0) return undefined;
      i += value * weight;
      if (i > MAX) return undefined;
      const t = threshold(k, bias);
      if (value < t) break;
      weight *= BASE - t;
    }
    bias = adapt(i - before, output.length + 1, before === 0);
    n += Math.floor(i / (output.length + 1));
    if (n > 0x10ffff) return undefined;
    i %= output.length + 1;
    output.splice(i++, 0, n);
  }
  return String.fromCodePoint(...output);
}

function digit(value: number): string {
  return String.fromCharCode(value < 26 ? value + 97 : value + 22);
}

/** a-z are 0 to 25, 0-9 are 26 to 35. */
function parseInt36(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 22;
  const letter = unit | 0x20;
  return letter >= 0x61 && letter <= 0x7a ? letter - 0x61 : -1;
}
