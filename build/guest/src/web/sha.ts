// SHA-1, SHA-256, SHA-384 and SHA-512. FIPS 180-4. Words are 32-bit integers in typed
// arrays, the 64-bit words of SHA-384 and SHA-512 as two halves: BigInts would be
// slower by far.

export type Hash = 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512';

/** Bytes of one block, which HMAC needs to know. */
export const blockSize: Record<Hash, number> = { 'SHA-1': 64, 'SHA-256': 64, 'SHA-384': 128, 'SHA-512': 128 };

const digestSize: Record<Hash, number> = { 'SHA-1': 20, 'SHA-256': 32, 'SHA-384': 48, 'SHA-512': 64 };

/** The digest of the bytes. */
export function sha(hash: Hash, bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const message = pad(bytes, blockSize[hash]);
  const state = hash === 'SHA-1' ? sha1(message) : hash === 'SHA-256' ? sha256(message) : sha512(message, hash === 'SHA-384');
  const out = new DataView(new ArrayBuffer(state.length * 4));
  state.forEach((word, i) => out.setInt32(i * 4, word));
  return new Uint8Array(out.buffer.slice(0, digestSize[hash]));
}

/** Section 5.1: a one bit, zeros, and the length in bits, up to a whole number of blocks. */
function pad(bytes: Uint8Array, block: number): DataView {
  const size = Math.ceil((bytes.length + 1 + block / 8) / block) * block;
  const padded = new Uint8Array(size);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(size - 8, Math.floor(bytes.length / 0x20000000));
  view.setUint32(size - 4, (bytes.length << 3) >>> 0);
  return view;
}

/** Sections 4.2 and 5.3: the constants are the first 64 bits of the fractions of roots of primes. */
interface Constants {
  /** Cube roots of the first 80 primes, in halves. */
  kh: Int32Array;
  kl: Int32Array;
  /** Square roots of the first 16 primes; the first 8 begin SHA-512, the others SHA-384. */
  hh: Int32Array;
  hl: Int32Array;
}

let constants: Constants | undefined;

function prepare(): Constants {
  if (constants) return constants;
  const primes: number[] = [];
  for (let n = 2; primes.length < 80; n++) if (primes.every((p) => n % p !== 0)) primes.push(n);
  const cubes = primes.map((p) => fraction(p, 3n, Math.cbrt(p)));
  const squares = primes.slice(0, 16).map((p) => fraction(p, 2n, Math.sqrt(p)));
  const high = (list: bigint[]) => Int32Array.from(list, (x) => Number(BigInt.asIntN(32, x >> 32n)));
  const low = (list: bigint[]) => Int32Array.from(list, (x) => Number(BigInt.asIntN(32, x)));
  return (constants = { kh: high(cubes), kl: low(cubes), hh: high(squares), hl: low(squares) });
}

/** The first 64 bits of the fraction of a root: the integer root of p · 2^(64·degree), without its whole part. */
function fraction(p: number, degree: bigint, estimate: number): bigint {
  const target = BigInt(p) << (64n * degree);
  // Newton's method from an estimate of 50 bits is exact, or nearly, after two steps.
  let root = BigInt(Math.floor(estimate * 2 ** 48)) << 16n;
  for (let i = 0; i < 3; i++) root = ((degree - 1n) * root + target / root ** (degree - 1n)) / degree;
  while (root ** degree > target) root--;
  while ((root + 1n) ** degree <= target) root++;
  return BigInt.asUintN(64, root);
}

/** Section 6.1. */
function sha1(message: DataView): Int32Array {
  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const w = new Int32Array(80);
  for (let at = 0; at < message.byteLength; at += 64) {
    for (let t = 0; t < 16; t++) w[t] = message.getInt32(at + t * 4);
    for (let t = 16; t < 80; t++) {
      const x = w[t - 3]! ^ w[t - 8]! ^ w[t - 14]! ^ w[t - 16]!;
      w[t] = (x << 1) | (x >>> 31);
    }
    let a = state[0]!, b = state[1]!, c = state[2]!, d = state[3]!, e = state[4]!;
    for (let t = 0; t < 80; t++) {
      const f = t < 20 ? ((b & c) | (~b & d)) + 0x5a827999 : t < 40 ? (b ^ c ^ d) + 0x6ed9eba1 : t < 60 ? ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc : (b ^ c ^ d) + 0xca62c1d6;
      const next = (((a << 5) | (a >>> 27)) + f + e + w[t]!) | 0;
      e = d;
      d = c;
      c = (b << 30) | (b >>> 2);
      b = a;
      a = next;
    }
    state[0]! += a;
    state[1]! += b;
    state[2]! += c;
    state[3]! += d;
    state[4]! += e;
  }
  return state;
}

/** Section 6.2. */
function sha256(message: DataView): Int32Array {
  const { kh: k, hh } = prepare();
  const state = hh.slice(0, 8);
  const w = new Int32Array(64);
  for (let at = 0; at < message.byteLength; at += 64) {
    for (let t = 0; t < 16; t++) w[t] = message.getInt32(at + t * 4);
    for (let t = 16; t < 64; t++) {
      const x = w[t - 15]!, y = w[t - 2]!;
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      w[t] = w[t - 16]! + s0 + w[t - 7]! + s1;
    }
    let a = state[0]!, b = state[1]!, c = state[2]!, d = state[3]!, e = state[4]!, f = state[5]!, g = state[6]!, h = state[7]!;
    for (let t = 0; t < 64; t++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + k[t]! + w[t]!) | 0;
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g;
      g = f;
      f = e;
      e = (d + t1) | 0;
      d = c;
      c = b;
      b = a;
      a = (t1 + t2) | 0;
    }
    state[0]! += a;
    state[1]! += b;
    state[2]! += c;
    state[3]! += d;
    state[4]! += e;
    state[5]! += f;
    state[6]! += g;
    state[7]! += h;
  }
  return state;
}

/** Section 6.4, and 6.5 with other first values. Each sum adds the low halves as exact numbers and carries what passes 2^32. */
function sha512(message: DataView, is384: boolean): Int32Array {
  const { kh, kl, hh, hl } = prepare();
  const from = is384 ? 8 : 0;
  const sh = hh.slice(from, from + 8), sl = hl.slice(from, from + 8);
  const wh = new Int32Array(80), wl = new Int32Array(80);
  const carry = 0x100000000;
  for (let at = 0; at < message.byteLength; at += 128) {
    for (let t = 0; t < 16; t++) {
      wh[t] = message.getInt32(at + t * 8);
      wl[t] = message.getInt32(at + t * 8 + 4);
    }
    for (let t = 16; t < 80; t++) {
      const xh = wh[t - 15]!, xl = wl[t - 15]!, yh = wh[t - 2]!, yl = wl[t - 2]!;
      const s0h = ((xh >>> 1) | (xl << 31)) ^ ((xh >>> 8) | (xl << 24)) ^ (xh >>> 7);
      const s0l = ((xl >>> 1) | (xh << 31)) ^ ((xl >>> 8) | (xh << 24)) ^ ((xl >>> 7) | (xh << 25));
      const s1h = ((yh >>> 19) | (yl << 13)) ^ ((yl >>> 29) | (yh << 3)) ^ (yh >>> 6);
      const s1l = ((yl >>> 19) | (yh << 13)) ^ ((yh >>> 29) | (yl << 3)) ^ ((yl >>> 6) | (yh << 26));
      const low = (wl[t - 16]! >>> 0) + (s0l >>> 0) + (wl[t - 7]! >>> 0) + (s1l >>> 0);
      wl[t] = low;
      wh[t] = wh[t - 16]! + s0h + wh[t - 7]! + s1h + Math.floor(low / carry);
    }
    let ah = sh[0]!, bh = sh[1]!, ch = sh[2]!, dh = sh[3]!, eh = sh[4]!, fh = sh[5]!, gh = sh[6]!, h8 = sh[7]!;
    let al = sl[0]!, bl = sl[1]!, cl = sl[2]!, dl = sl[3]!, el = sl[4]!, fl = sl[5]!, gl = sl[6]!, l8 = sl[7]!;
    for (let t = 0; t < 80; t++) {
      const s1h = ((eh >>> 14) | (el << 18)) ^ ((eh >>> 18) | (el << 14)) ^ ((el >>> 9) | (eh << 23));
      const s1l = ((el >>> 14) | (eh << 18)) ^ ((el >>> 18) | (eh << 14)) ^ ((eh >>> 9) | (el << 23));
      const t1 = (l8 >>> 0) + (s1l >>> 0) + (((el & fl) ^ (~el & gl)) >>> 0) + (kl[t]! >>> 0) + (wl[t]! >>> 0);
      const t1l = t1 | 0;
      const t1h = (h8 + s1h + ((eh & fh) ^ (~eh & gh)) + kh[t]! + wh[t]! + Math.floor(t1 / carry)) | 0;
      const s0h = ((ah >>> 28) | (al << 4)) ^ ((al >>> 2) | (ah << 30)) ^ ((al >>> 7) | (ah << 25));
      const s0l = ((al >>> 28) | (ah << 4)) ^ ((ah >>> 2) | (al << 30)) ^ ((ah >>> 7) | (al << 25));
      const t2 = (s0l >>> 0) + (((al & bl) ^ (al & cl) ^ (bl & cl)) >>> 0);
      const t2h = (s0h + ((ah & bh) ^ (ah & ch) ^ (bh & ch)) + Math.floor(t2 / carry)) | 0;
      h8 = gh;
      l8 = gl;
      gh = fh;
      gl = fl;
      fh = eh;
      fl = el;
      const e = (dl >>> 0) + (t1l >>> 0);
      el = e | 0;
      eh = (dh + t1h + (e >= carry ? 1 : 0)) | 0;
      dh = ch;
      dl = cl;
      ch = bh;
      cl = bl;
      bh = ah;
      bl = al;
      const a = (t1l >>> 0) + ((t2 | 0) >>> 0);
      al = a | 0;
      ah = (t1h + t2h + (a >= carry ? 1 : 0)) | 0;
    }
    add64(sh, sl, [ah, bh, ch, dh, eh, fh, gh, h8], [al, bl, cl, dl, el, fl, gl, l8]);
  }
  return Int32Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? sh[i >> 1]! : sl[i >> 1]!));
}

function add64(high: Int32Array, low: Int32Array, byHigh: number[], byLow: number[]): void {
  for (let i = 0; i < 8; i++) {
    const sum = (low[i]! >>> 0) + (byLow[i]! >>> 0);
    low[i] = sum;
    high[i] = high[i]! + byHigh[i]! + (sum >= 0x100000000 ? 1 : 0);
  }
}
