// What WebIDL asks of an interface and class syntax does not give: members that can be
// enumerated, a name for Object.prototype.toString, constants, and a count of arguments.

import { cloneHook } from './clone-hook.ts';

/** Makes the members of a class enumerable and names it. Returns the class, so that an unused one can be dropped. */
export function finishInterface<C extends { prototype: object }>(target: C, name: string, constants: Record<string, number> = {}): C {
  for (const holder of [target, target.prototype]) {
    for (const key of Object.getOwnPropertyNames(holder)) {
      const property = Object.getOwnPropertyDescriptor(holder, key)!;
      if (key === 'constructor' || !property.configurable || (holder === target && typeof property.value !== 'function')) continue;
      if (holder === target && (key === 'prototype' || key === 'name')) continue;
      Object.defineProperty(holder, key, { enumerable: true });
    }
    for (const key of Object.keys(constants)) Object.defineProperty(holder, key, { value: constants[key], enumerable: true });
  }
  // Objects of the platform cannot be cloned unless their class says how.
  if (!Object.hasOwn(target.prototype, cloneHook)) Object.defineProperty(target.prototype, cloneHook, { value: null, configurable: true });
  Object.defineProperty(target.prototype, Symbol.toStringTag, { value: name, configurable: true });
  Object.defineProperty(target, 'name', { value: name, configurable: true });
  return target;
}

/** Throws the TypeError WebIDL wants when there are too few arguments. */
export function requireArguments(what: string, given: number, wanted: number): void {
  if (given < wanted) throw new TypeError(`${what}: ${wanted} argument${wanted === 1 ? '' : 's'} required, but only ${given} present`);
}

/** A WebIDL dictionary: undefined and null are empty, and nothing but an object will do. */
export function dictionary(value: unknown, what: string): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' && typeof value !== 'function') throw new TypeError(`${what} must be an object`);
  return value as Record<string, unknown>;
}
