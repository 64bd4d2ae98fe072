// structuredClone. HTML Standard, 2.7 "Safe passing of structured data": StructuredSerialize
// and StructuredDeserialize in one pass, since nothing leaves this realm between the two.
//
// The walk keeps its own stack instead of calling itself, so that depth costs memory and
// not the engine's stack. Objects are read in the order in which the standard reads them.

import { cloneHook } from './clone-hook.ts';
import { DOMException } from './domexception.ts';
import { dictionary, requireArguments } from './interface.ts';

/** An object whose parts are still being copied, and how far that is. */
interface Frame {
  source: object;
  target: any;
  /** Property names, or the entries of a Map, or the members of a Set. */
  parts: unknown[];
  at: number;
  put: (frame: Frame, walk: Walk) => void;
  end?: () => void;
}

interface Walk {
  memory: Map<object, unknown>;
  frames: Frame[];
}

// The maximum length is what ES2024 adds; the types of this project know ES2023.
type Resizable = ArrayBuffer & { resizable?: boolean; maxByteLength?: number; detached?: boolean; transfer?(length?: number): ArrayBuffer };
const newBuffer = (length: number, from: Resizable): ArrayBuffer =>
  from.resizable ? new (ArrayBuffer as any)(length, { maxByteLength: from.maxByteLength }) : new ArrayBuffer(length);

/** A deep copy of a value. Buffers listed in transfer move instead: the original is empty afterwards. */
export function structuredClone<T>(value: T, options?: { transfer?: Iterable<object> }): T {
  requireArguments('structuredClone', arguments.length, 1);
  const { transfer } = dictionary(options, 'structuredClone: the options');
  const walk: Walk = { memory: new Map(), frames: [] };
  const moving = transfer === undefined ? [] : listTransfers(transfer as Iterable<unknown>, walk);
  const result = copy(value, walk);
  const { frames } = walk;
  while (frames.length > 0) {
    const frame = frames[frames.length - 1]!;
    if (frame.at < frame.parts.length) frame.put(frame, walk);
    else frames.pop()!.end?.();
  }
  // Buffers move only now, so that a failure above leaves them as they were.
  for (const buffer of moving) move(buffer, walk.memory.get(buffer) as ArrayBuffer);
  return result as T;
}

const fail = (what: string): never => {
  throw new DOMException(`${what} could not be cloned.`, 'DataCloneError');
};

function listTransfers(transfer: Iterable<unknown>, walk: Walk): Resizable[] {
  const list = [...transfer];
  for (const item of list) {
    if (typeof item !== 'object' || item === null) throw new TypeError(`structuredClone: ${spell(item)} in the transfer list is no object`);
    if (!(item instanceof ArrayBuffer)) throw new DOMException(`${spell(item)} cannot be transferred.`, 'DataCloneError');
    if (walk.memory.has(item)) throw new DOMException('The same ArrayBuffer is to be transferred twice.', 'DataCloneError');
    if ((item as Resizable).detached) fail('A detached ArrayBuffer');
    walk.memory.set(item, newBuffer(item.byteLength, item));
  }
  return list as Resizable[];
}

/** Copying and then detaching cannot be told from moving. */
function move(from: Resizable, to: ArrayBuffer): void {
  if (from.detached) fail('A detached ArrayBuffer');
  new Uint8Array(to).set(new Uint8Array(from, 0, Math.min(to.byteLength, from.byteLength)));
  from.transfer!(0);
}

/** The copy of a value. The parts of an object are copied later, by the frame it leaves. */
function copy(value: unknown, walk: Walk): unknown {
  if (typeof value === 'symbol') fail(String(value));
  if (typeof value === 'function') fail(spell(value));
  if (typeof value !== 'object' || value === null) return value;
  if (walk.memory.has(value)) return walk.memory.get(value);
  const made = copyObject(value, walk);
  walk.memory.set(value, made);
  return made;
}

function copyObject(value: object, walk: Walk): unknown {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return copyProperties(value, {}, walk);
  if (Array.isArray(value)) return copyArray(value, walk);
  if (cloneHook in value) {
    const hook = (value as Record<symbol, unknown>)[cloneHook];
    return typeof hook === 'function' ? hook.call(value) : fail(spell(value));
  }
  for (const [type, make] of types()) if (value instanceof type) return make(value, walk);
  if (uncloneable.test(Object.prototype.toString.call(value))) fail(spell(value));
  return copyProperties(value, {}, walk);
}

// Objects with state that is not in their properties, known by their tag: those of the language, and those of
// Web APIs whose modules this one does not want to carry.
const uncloneable = /^\[object (?:(?:Async)?Generator|.* Iterator|URL|URLPattern|URLSearchParams|Headers|Request|Response|FormData|ReadableStream\w*)\]$/;

function copyProperties(source: object, target: object, walk: Walk): object {
  walk.frames.push({ source, target, parts: Object.keys(source), at: 0, put: putProperty });
  return target;
}

/** Grown element by element, and given its length at the end: an array that begins with holes is a slow one for good. */
function copyArray(source: unknown[], walk: Walk): unknown[] {
  const target: unknown[] = [];
  const { length } = source;
  walk.frames.push({ source, target, parts: Object.keys(source), at: 0, put: putProperty, end: () => (target.length = length) });
  return target;
}

function putProperty(frame: Frame, walk: Walk): void {
  const key = frame.parts[frame.at++] as string;
  if (!Object.hasOwn(frame.source, key)) return; // a getter before it took it away
  const value = copy((frame.source as Record<string, unknown>)[key], walk);
  // An assignment would call the setter of __proto__.
  if (key === '__proto__') Object.defineProperty(frame.target, key, { value, writable: true, enumerable: true, configurable: true });
  else frame.target[key] = value;
}

function putEntry(frame: Frame, walk: Walk): void {
  // Two turns for each entry, so that all of the key is read before the value is.
  const at = frame.at++;
  const part = copy(frame.parts[at], walk);
  if (at % 2 === 0) frame.parts[at] = part;
  else frame.target.set(frame.parts[at - 1], part);
}

function putMember(frame: Frame, walk: Walk): void {
  frame.target.add(copy(frame.parts[frame.at++], walk));
}

// Each type with how its objects are copied. Reading the slot itself (valueOf, getTime, …)
// throws a TypeError for an object that merely inherits from the type's prototype.
type Copier = [new (...args: any[]) => any, (value: any, walk: Walk) => unknown];
let table: Copier[] | undefined;
// Made when first asked for: a bundle may evaluate this module before that of DOMException.
const types = (): Copier[] => (table ??= [
  [Boolean, (value) => Object(Boolean.prototype.valueOf.call(value))],
  [Number, (value) => Object(Number.prototype.valueOf.call(value))],
  [String, (value) => Object(String.prototype.valueOf.call(value))],
  [BigInt as never, (value) => Object(BigInt.prototype.valueOf.call(value))],
  [Date, (value) => new Date(Date.prototype.getTime.call(value))],
  [RegExp, (value: RegExp) => new RegExp(value.source, value.flags)],
  [ArrayBuffer, copyBuffer],
  [Object.getPrototypeOf(Uint8Array), copyView],
  [DataView, copyView],
  [Map, copyMap],
  [Set, copySet],
  [DOMException as never, copyDOMException],
  [Error, copyError],
  [Promise, (value) => fail(spell(value))],
  [WeakMap, (value) => fail(spell(value))],
  [WeakSet, (value) => fail(spell(value))],
  [WeakRef, (value) => fail(spell(value))],
]);

function copyBuffer(value: Resizable): ArrayBuffer {
  if (value.detached) fail('A detached ArrayBuffer');
  const made = newBuffer(value.byteLength, value);
  new Uint8Array(made).set(new Uint8Array(value));
  return made;
}

function copyView(view: any, walk: Walk): unknown {
  const buffer = copy(view.buffer, walk);
  const type: any = view instanceof DataView ? DataView : viewTypes[(view as { [Symbol.toStringTag]: string })[Symbol.toStringTag]];
  return new type(buffer, view.byteOffset, view instanceof DataView ? view.byteLength : view.length);
}

const viewTypes: Record<string, unknown> = {
  Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array,
  Float16Array: (globalThis as { Float16Array?: unknown }).Float16Array,
};

function copyMap(value: Map<unknown, unknown>, walk: Walk): unknown {
  const parts: unknown[] = [];
  Map.prototype.forEach.call(value, (item, key) => void parts.push(key, item));
  const target = new Map();
  walk.frames.push({ source: value, target, parts, at: 0, put: putEntry });
  return target;
}

function copySet(value: Set<unknown>, walk: Walk): unknown {
  const parts: unknown[] = [];
  Set.prototype.forEach.call(value, (item) => void parts.push(item));
  const target = new Set();
  walk.frames.push({ source: value, target, parts, at: 0, put: putMember });
  return target;
}

const errorTypes: Record<string, ErrorConstructor> = { Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

function copyError(value: Error, walk: Walk): unknown {
  const name = value.name === undefined ? 'Error' : String(value.name);
  const message = Object.getOwnPropertyDescriptor(value, 'message');
  const type = Object.hasOwn(errorTypes, name) ? errorTypes[name]! : Error;
  const made = message && 'value' in message ? new type(String(message.value)) : new type();
  hide(made, 'stack', value.stack);
  walk.memory.set(value, made);
  // Not a property that the standard names, but of the "interesting accompanying data" it asks for.
  if (Object.hasOwn(value, 'cause')) hide(made, 'cause', copy(value.cause, walk));
  return made;
}

function copyDOMException(value: DOMException): unknown {
  const made = new DOMException(value.message, value.name);
  hide(made, 'stack', value.stack);
  return made;
}

function hide(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, writable: true, configurable: true });
}

function spell(value: unknown): string {
  if (typeof value === 'function') return value.name ? `The function ${value.name}` : 'A function';
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.prototype.toString.call(value).replace(/^\[object (.*)\]$/, '#<$1>');
}
