// Random bytes in small pieces. Asking the host costs the same for one byte as for a
// thousand, so a pool is drawn at once and handed out. An instance must never hand out
// what lies in the memory image, which is the same for all: see forgetRandomPool.

import { randomBytes } from '../native.ts';

const size = 1024;
let pool = new Uint8Array(0);
let used = 0;

/** The next count random bytes, count being small. */
export function randomPool(count: number): Uint8Array {
  if (used + count > pool.length) {
    pool = new Uint8Array(randomBytes(size));
    used = 0;
  }
  const bytes = pool.slice(used, used + count);
  pool.fill(0, used, (used += count)); // what was a key is not kept
  return bytes;
}

/** Throws the pool away; the next bytes come from the host. */
export function forgetRandomPool(): void {
  pool = new Uint8Array(0);
  used = 0;
}
