// Event, CustomEvent and EventTarget. DOM Standard, 2 "Events". There is no tree here, so
// the path of an event is its target alone, and it never bubbles anywhere.

import { monotonic } from '../native.ts';
import { DOMException } from './domexception.ts';
import { dictionary, finishInterface, requireArguments } from './interface.ts';
import { performance } from './performance.ts';
import { reportError } from './report.ts';

interface Slots {
  type: string;
  bubbles: boolean;
  cancelable: boolean;
  composed: boolean;
  target: EventTargetClass | null;
  currentTarget: EventTargetClass | null;
  phase: number;
  time: number;
  trusted: boolean;
  initialized: boolean;
  dispatching: boolean;
  canceled: boolean;
  stopped: boolean;
  stoppedAtOnce: boolean;
  passive: boolean;
}

const events = new WeakMap<object, Slots>();
const targets = new WeakMap<object, Listener[]>();

function slots(event: unknown): Slots {
  const found = events.get(event as object);
  if (!found) throw new TypeError('Illegal invocation: this is no Event');
  return found;
}

const AT_TARGET = 2;

class EventClass {
  constructor(type: unknown, options?: unknown) {
    requireArguments('Event constructor', arguments.length, 1);
    const { bubbles, cancelable, composed } = dictionary(options, 'Event constructor: the options');
    events.set(this, {
      type: `${type as string}`,
      bubbles: !!bubbles,
      cancelable: !!cancelable,
      composed: !!composed,
      target: null,
      currentTarget: null,
      phase: 0,
      time: monotonic(),
      trusted: false,
      initialized: true,
      dispatching: false,
      canceled: false,
      stopped: false,
      stoppedAtOnce: false,
      passive: false,
    });
  }

  get type(): string {
    return slots(this).type;
  }
  get target(): EventTargetClass | null {
    return slots(this).target;
  }
  get srcElement(): EventTargetClass | null {
    return slots(this).target;
  }
  get currentTarget(): EventTargetClass | null {
    return slots(this).currentTarget;
  }
  composedPath(): EventTargetClass[] {
    const { currentTarget } = slots(this);
    return currentTarget ? [currentTarget] : [];
  }
  get eventPhase(): number {
    return slots(this).phase;
  }
  stopPropagation(): void {
    slots(this).stopped = true;
  }
  get cancelBubble(): boolean {
    return slots(this).stopped;
  }
  set cancelBubble(value: boolean) {
    if (value) slots(this).stopped = true;
  }
  stopImmediatePropagation(): void {
    const event = slots(this);
    event.stopped = event.stoppedAtOnce = true;
  }
  get bubbles(): boolean {
    return slots(this).bubbles;
  }
  get cancelable(): boolean {
    return slots(this).cancelable;
  }
  get returnValue(): boolean {
    return !slots(this).canceled;
  }
  set returnValue(value: boolean) {
    if (!value) this.preventDefault();
  }
  preventDefault(): void {
    const event = slots(this);
    if (event.cancelable && !event.passive) event.canceled = true;
  }
  get defaultPrevented(): boolean {
    return slots(this).canceled;
  }
  get composed(): boolean {
    return slots(this).composed;
  }
  get isTrusted(): boolean {
    return slots(this).trusted;
  }
  get timeStamp(): number {
    return slots(this).time - (monotonic() - performance.now());
  }
  initEvent(type: unknown, bubbles: unknown = false, cancelable: unknown = false): void {
    requireArguments('initEvent', arguments.length, 1);
    const event = slots(this);
    if (event.dispatching) return;
    Object.assign(event, {
      type: `${type as string}`, bubbles: !!bubbles, cancelable: !!cancelable,
      initialized: true, stopped: false, stoppedAtOnce: false, canceled: false, trusted: false, target: null,
    });
  }
}

interface Listener {
  type: string;
  callback: Callback;
  capture: boolean;
  once: boolean;
  passive: boolean;
  removed: boolean;
}

type Callback = ((event: EventClass) => unknown) | { handleEvent(event: EventClass): unknown };

/** The name under which a signal lets others add an abort algorithm. It keeps this module free of AbortSignal. */
export const addAbortAlgorithm: unique symbol = /* @__PURE__ */ Symbol('add abort algorithm');

class EventTargetClass {
  addEventListener(type: unknown, callback: unknown, options?: unknown): void {
    requireArguments('addEventListener', arguments.length, 2);
    const list = listeners(this);
    const { capture, once, passive, signal } = flatten(options);
    const name = `${type as string}`;
    if (signal !== undefined && typeof (signal as any)?.[addAbortAlgorithm] !== 'function') {
      throw new TypeError('addEventListener: the signal must be an AbortSignal');
    }
    checkCallback(callback);
    if ((signal as { aborted?: boolean } | undefined)?.aborted || callback === null || callback === undefined) return;
    if (list.some((l) => l.type === name && l.callback === callback && l.capture === capture)) return;
    const listener: Listener = { type: name, callback: callback as Callback, capture, once, passive, removed: false };
    list.push(listener);
    (signal as any)?.[addAbortAlgorithm](() => remove(list, listener));
  }

  removeEventListener(type: unknown, callback: unknown, options?: unknown): void {
    requireArguments('removeEventListener', arguments.length, 2);
    const list = listeners(this);
    const { capture } = flatten(options);
    checkCallback(callback);
    const found = list.find((l) => l.type === `${type as string}` && l.callback === callback && l.capture === capture);
    if (found) remove(list, found);
  }

  dispatchEvent(event: unknown): boolean {
    requireArguments('dispatchEvent', arguments.length, 1);
    listeners(this);
    const state = events.get(event as object);
    if (!state) throw new TypeError('dispatchEvent: the argument must be an Event');
    if (state.dispatching || !state.initialized) {
      throw new DOMException('dispatchEvent: the event is being dispatched already', 'InvalidStateError');
    }
    state.trusted = false;
    return dispatch(this, event as EventClass, state);
  }
}

function listeners(target: object): Listener[] {
  // A method called on nothing means the global object; there are no events there.
  if (!(target instanceof EventTargetClass)) throw new TypeError('Illegal invocation: this is no EventTarget');
  let list = targets.get(target);
  if (!list) targets.set(target, (list = []));
  return list;
}

function remove(list: Listener[], listener: Listener): void {
  listener.removed = true;
  const at = list.indexOf(listener);
  if (at >= 0) list.splice(at, 1);
}

function flatten(options: unknown): { capture: boolean; once: boolean; passive: boolean; signal: unknown } {
  if (typeof options !== 'object' && typeof options !== 'function') return { capture: !!options, once: false, passive: false, signal: undefined };
  const { capture, once, passive, signal } = (options ?? {}) as Record<string, unknown>;
  return { capture: !!capture, once: !!once, passive: !!passive, signal };
}

function checkCallback(callback: unknown): void {
  if (callback !== null && callback !== undefined && typeof callback !== 'function' && typeof callback !== 'object') {
    throw new TypeError('an event listener must be a function or an object with handleEvent');
  }
}

function dispatch(target: EventTargetClass, event: EventClass, state: Slots): boolean {
  state.dispatching = true;
  state.target = state.currentTarget = target;
  state.phase = AT_TARGET;
  // Capturing listeners come first, also at the target itself; and those added while the event is under way wait for the next.
  const list = listeners(target);
  for (const some of [list.filter((l) => l.capture), list.filter((l) => !l.capture)]) {
    if (state.stopped) break;
    for (const listener of some) {
      if (listener.removed || listener.type !== state.type) continue;
      if (listener.once) remove(list, listener);
      state.passive = listener.passive;
      invoke(listener.callback, event, target);
      state.passive = false;
      if (state.stoppedAtOnce) break;
    }
  }
  state.phase = 0;
  state.currentTarget = null;
  state.dispatching = state.stopped = state.stoppedAtOnce = false;
  return !state.canceled;
}

function invoke(callback: Callback, event: EventClass, target: EventTargetClass): void {
  try {
    if (typeof callback === 'function') {
      callback.call(target, event);
      return;
    }
    const { handleEvent } = callback;
    if (typeof handleEvent !== 'function') throw new TypeError('the event listener has no function handleEvent');
    handleEvent.call(callback, event);
  } catch (error) {
    reportError(error);
  }
}

/** Dispatches an event that the sandbox itself made: "fire an event" in the standard. */
export function fire(target: EventTargetClass, type: string): void {
  const event = new Event(type);
  const state = slots(event);
  state.trusted = true;
  dispatch(target, event, state);
}

const details = new WeakMap<object, unknown>();

/** An event. */
export const Event = /* @__PURE__ */ finishInterface(EventClass, 'Event', { NONE: 0, CAPTURING_PHASE: 1, AT_TARGET, BUBBLING_PHASE: 3 });
export type Event = EventClass;

/** An object that events happen to. */
export const EventTarget = /* @__PURE__ */ finishInterface(EventTargetClass, 'EventTarget');
export type EventTarget = EventTargetClass;

class CustomEventClass extends EventClass {
  constructor(type: unknown, options?: unknown) {
    requireArguments('CustomEvent constructor', arguments.length, 1);
    super(type, options);
    details.set(this, dictionary(options, 'CustomEvent constructor: the options')['detail'] ?? null);
  }
  get detail(): unknown {
    return details.get(this);
  }
  initCustomEvent(type: unknown, bubbles: unknown = false, cancelable: unknown = false, detail: unknown = null): void {
    requireArguments('initCustomEvent', arguments.length, 1);
    if (slots(this).dispatching) return;
    this.initEvent(type, bubbles, cancelable);
    details.set(this, detail);
  }
}

/** An event with something of the author's on it. */
export const CustomEvent = /* @__PURE__ */ finishInterface(CustomEventClass, 'CustomEvent');
export type CustomEvent = CustomEventClass;
