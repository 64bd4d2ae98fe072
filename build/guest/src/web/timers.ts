// setTimeout and its relatives. A timer is only a note of what to do when; the event loop
// (src/runtime/loop.ts) asks for the next one and waits until it is due.
//
// HTML Standard, 8.7 Timers. Timers fire in the order of the moment they are due, and in
// the order they were made where that is equal. Two rules are the sandbox's own: what a
// call started ends with that call, and what was started while the package was built or
// initialised belongs to the instance, which does not stay awake for it.

import { monotonic } from '../native.ts';
import { reportError } from './report.ts';

interface Timer {
  id: number;
  due: number;
  order: number;
  /** Milliseconds between two runs, or -1 for a timer that runs once. */
  period: number;
  /** Whether it belongs to the instance rather than to the call in progress. */
  lasting: boolean;
  run: () => void;
}

let queue: Timer[] = []; // a binary heap; cancelled timers stay until they come up
const live = new Map<number, Timer>();
let nextId = 1;
let order = 0;
let lasting = true;
let current = 0; // live timers that belong to the call

const before = (a: Timer, b: Timer) => a.due < b.due || (a.due === b.due && a.order < b.order);

function push(timer: Timer): void {
  let i = queue.push(timer) - 1;
  while (i > 0) {
    const parent = (i - 1) >> 1;
    if (!before(timer, queue[parent]!)) break;
    queue[i] = queue[parent]!;
    i = parent;
  }
  queue[i] = timer;
}

function pop(): void {
  const last = queue.pop()!;
  const size = queue.length;
  if (size === 0) return;
  let i = 0;
  for (;;) {
    let child = 2 * i + 1;
    if (child >= size) break;
    if (child + 1 < size && before(queue[child + 1]!, queue[child]!)) child++;
    if (!before(queue[child]!, last)) break;
    queue[i] = queue[child]!;
    i = child;
  }
  queue[i] = last;
}

function start(name: string, callback: unknown, delay: unknown, repeat: boolean, args: unknown[]): number {
  if (typeof callback !== 'function') throw new TypeError(`${name}: the callback must be a function`);
  // The delay is a WebIDL long: the low 32 bits, and never negative.
  const wait = Math.max(Number(delay) | 0, 0);
  const timer: Timer = {
    id: nextId++,
    due: monotonic() + wait,
    order: order++,
    period: repeat ? Math.max(wait, 1) : -1,
    lasting,
    run: () => callback.apply(globalThis, args),
  };
  live.set(timer.id, timer);
  if (!lasting) current++;
  push(timer);
  return timer.id;
}

function stop(id: unknown): void {
  const timer = live.get(Number(id));
  if (timer) forget(timer);
}

function forget(timer: Timer): void {
  live.delete(timer.id);
  if (!timer.lasting) current--;
}

/** Runs a callback once, after at least delay milliseconds. */
export function setTimeout(callback: unknown, delay?: unknown, ...args: unknown[]): number {
  return start('setTimeout', callback, delay, false, args);
}

/** Runs a callback every delay milliseconds. */
export function setInterval(callback: unknown, delay?: unknown, ...args: unknown[]): number {
  return start('setInterval', callback, delay, true, args);
}

/** Runs a callback after what is already due. */
export function setImmediate(callback: unknown, ...args: unknown[]): number {
  return start('setImmediate', callback, 0, false, args);
}

export const clearTimeout = (id?: unknown): void => stop(id);
export const clearInterval = (id?: unknown): void => stop(id);
export const clearImmediate = (id?: unknown): void => stop(id);

/** Runs a callback as soon as the code in progress has returned. */
export function queueMicrotask(callback: unknown): void {
  if (typeof callback !== 'function') throw new TypeError('queueMicrotask: the callback must be a function');
  Promise.resolve().then(() => {
    try {
      callback();
    } catch (error) {
      reportError(error);
    }
  });
}

/** Says whether timers made from now on belong to the instance or to the call. */
export function setLasting(value: boolean): void {
  lasting = value;
}

/** Drops what the call left behind. */
export function endCall(): void {
  if (queue.length === 0) return; // what is live is in the queue, unless it is running
  for (const timer of [...live.values()]) if (!timer.lasting) forget(timer);
  queue = queue.filter((timer) => live.has(timer.id));
  queue.sort((a, b) => (before(a, b) ? -1 : 1)); // a sorted list is a heap
}

/** Moves every timer by the difference between two clocks. */
export function shift(milliseconds: number): void {
  for (const timer of queue) timer.due += milliseconds;
}

/** When the next timer is due, or undefined when nothing would keep the call alive. */
export function nextDue(): number | undefined {
  while (queue.length > 0 && live.get(queue[0]!.id) !== queue[0]) pop();
  return current > 0 || (lasting && queue.length > 0) ? queue[0]!.due : undefined;
}

/** Runs the timer that is due next. */
export function fireNext(): void {
  const timer = queue[0]!;
  pop();
  const outside = lasting;
  lasting = timer.lasting;
  try {
    timer.run();
  } catch (error) {
    reportError(error);
  }
  lasting = outside;
  if (live.get(timer.id) !== timer) return; // it cancelled itself
  if (timer.period < 0) {
    forget(timer);
    return;
  }
  timer.due = monotonic() + timer.period;
  timer.order = order++;
  push(timer);
}
