// Math.random for an engine whose own generator is seeded once and then copied with the
// memory image: every instance would repeat the same numbers. This is xorshift128+ (S. Vigna,
// "Further scramblings of Marsaglia's xorshift generators", 2014) on four 32-bit words,
// seeded from the host's random bytes, and seeded again for each instance.

import { randomBytes } from '../native.ts';

let s0h = 0, s0l = 1, s1h = 0, s1l = 2;

/** Takes a new seed. */
export function reseed(): void {
  const seed = new Uint32Array(randomBytes(16));
  [s0h, s0l, s1h, s1l] = [seed[0]!, seed[1]!, seed[2]!, seed[3]! | 1]; // never all zero
}

/** A number from 0 up to 1, without 1, of 53 random bits. */
export function random(): number {
  const l = (s0l + s1l) >>> 0;
  const h = (s0h + s1h + (l < s0l >>> 0 ? 1 : 0)) >>> 0;
  // s1 = s0 ^ (s0 << 23); s1 ^= s1 >> 18 ^ s0' ^ s0' >> 5, on halves.
  const xh = s0h ^ ((s0h << 23) | (s0l >>> 9));
  const xl = s0l ^ (s0l << 23);
  s0h = s1h;
  s0l = s1l;
  s1h = xh ^ (xh >>> 18) ^ s1h ^ (s1h >>> 5);
  s1l = xl ^ ((xl >>> 18) | (xh << 14)) ^ s1l ^ ((s1l >>> 5) | (s0h << 27));
  return ((h >>> 5) * 0x4000000 + (l >>> 6)) / 0x20000000000000;
}

/** Puts this generator in the place of the engine's. */
export function installRandom(): void {
  reseed();
  Object.defineProperty(Math, 'random', { value: random, writable: true, enumerable: false, configurable: true });
}
