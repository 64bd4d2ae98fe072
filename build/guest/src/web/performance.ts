// performance.now and timeOrigin. High Resolution Time, W3C: now is the time since the
// origin on a clock that never goes back; the origin is when this instance first ran.

import { monotonic, wallclock } from '../native.ts';

let start: number | undefined;
let origin = 0;

function begin(): number {
  if (start === undefined) renewPerformance();
  return start!;
}

/** Makes this moment the origin. */
export function renewPerformance(): void {
  start = monotonic();
  origin = wallclock();
}

export const performance = {
  /** Milliseconds since timeOrigin, with a fraction. */
  now(): number {
    const from = begin();
    return monotonic() - from;
  },
  /** When now() was 0, in milliseconds since 1970. */
  get timeOrigin(): number {
    begin();
    return origin;
  },
  toJSON(): { timeOrigin: number } {
    return { timeOrigin: performance.timeOrigin };
  },
};
