// Promise by ECMA-262, section 27.2, with a queue of jobs that this side runs. Needed where
// the engine runs its own promise jobs too late to be of use: see extism-js.ts.

type Settle = (value?: unknown) => void;
type Constructor = new (executor: (resolve: Settle, reject: Settle) => void) => any;
type Track = (promise: unknown, reason: unknown, handled: boolean) => void;

interface Capability { promise: any; resolve: Settle; reject: Settle }
interface Reaction { capability: Capability | undefined; handler: unknown; kind: 'fulfilled' | 'rejected' }
interface Slots { state: 'pending' | 'fulfilled' | 'rejected'; value: unknown; reactions: Reaction[]; handled: boolean }

let queue: (() => void)[] = [];
let track: Track = () => {};

/** Runs jobs, and the jobs they make, until there is none. */
export function runJobs(): void {
  while (queue.length > 0) {
    const jobs = queue;
    queue = [];
    for (let i = 0; i < jobs.length; i++) jobs[i]!();
  }
}

/** Puts this Promise in the place of the engine's. */
export function installPromise(tracker: Track): void {
  track = tracker;
  Object.defineProperty(globalThis, 'Promise', { value: OwnPromise, writable: true, enumerable: false, configurable: true });
}

const isObject = (value: unknown): value is Record<PropertyKey, unknown> => (typeof value === 'object' && value !== null) || typeof value === 'function';

/** NewPromiseCapability. */
function capabilityOf(constructor: unknown): Capability {
  if (typeof constructor !== 'function') throw new TypeError('a promise needs a constructor');
  let resolve: unknown, reject: unknown;
  const promise = new (constructor as Constructor)((a, b) => {
    if (resolve !== undefined || reject !== undefined) throw new TypeError('the executor was called twice');
    resolve = a;
    reject = b;
  });
  if (typeof resolve !== 'function' || typeof reject !== 'function') throw new TypeError('the constructor of a promise gave no functions to settle it');
  return { promise, resolve: resolve as Settle, reject: reject as Settle };
}

function react({ capability, handler, kind }: Reaction, argument: unknown): void {
  queue.push(() => {
    let result: unknown = argument, failed = kind === 'rejected';
    if (typeof handler === 'function') {
      try {
        result = handler(argument);
        failed = false;
      } catch (error) {
        result = error;
        failed = true;
      }
    }
    if (failed) capability?.reject(result);
    else capability?.resolve(result);
  });
}

class OwnPromise {
  #slots: Slots = { state: 'pending', value: undefined, reactions: [], handled: false };

  constructor(executor: (resolve: Settle, reject: Settle) => void) {
    if (typeof executor !== 'function') throw new TypeError('the executor of a promise must be a function');
    const { resolve, reject } = this.#resolvers();
    try {
      executor(resolve, reject);
    } catch (error) {
      reject(error);
    }
  }

  static get [Symbol.species](): unknown {
    return this;
  }

  #settle(state: 'fulfilled' | 'rejected', value: unknown): void {
    const slots = this.#slots;
    const { reactions } = slots;
    slots.state = state;
    slots.value = value;
    slots.reactions = [];
    if (state === 'rejected' && !slots.handled) track(this, value, false);
    for (const reaction of reactions) if (reaction.kind === state) react(reaction, value);
  }

  #resolvers(): { resolve: Settle; reject: Settle } {
    let done = false;
    const reject: Settle = (reason) => {
      if (done) return;
      done = true;
      this.#settle('rejected', reason);
    };
    const resolve: Settle = (value) => {
      if (done) return;
      done = true;
      if (value === this) return this.#settle('rejected', new TypeError('a promise cannot be resolved with itself'));
      if (!isObject(value)) return this.#settle('fulfilled', value);
      let then: unknown;
      try {
        then = value['then'];
      } catch (error) {
        return this.#settle('rejected', error);
      }
      if (typeof then !== 'function') return this.#settle('fulfilled', value);
      queue.push(() => {
        const inner = this.#resolvers();
        try {
          Reflect.apply(then as Function, value, [inner.resolve, inner.reject]);
        } catch (error) {
          inner.reject(error);
        }
      });
    };
    return { resolve, reject };
  }

  then(fulfilled?: unknown, rejected?: unknown): any {
    if (!(#slots in this)) throw new TypeError('then was called on something that is no promise');
    const slots = this.#slots;
    const capability = capabilityOf(species(this));
    for (const kind of ['fulfilled', 'rejected'] as const) {
      const reaction: Reaction = { capability, handler: kind === 'fulfilled' ? fulfilled : rejected, kind };
      if (slots.state === 'pending') slots.reactions.push(reaction);
      else if (slots.state === kind) react(reaction, slots.value);
    }
    if (slots.state === 'rejected' && !slots.handled) track(this, slots.value, true);
    slots.handled = true;
    return capability.promise;
  }

  catch(rejected?: unknown): any {
    return this.then(undefined, rejected);
  }

  finally(callback?: unknown): any {
    if (typeof callback !== 'function') return this.then(callback, callback);
    const constructor = species(this);
    const after = (finish: () => unknown) => resolved(constructor, callback()).then(finish);
    return this.then(
      (value: unknown) => after(() => value),
      (reason: unknown) => after(() => { throw reason; }),
    );
  }

  static resolve(value?: unknown): any {
    return resolved(this, value);
  }

  static reject(reason?: unknown): any {
    const capability = capabilityOf(this);
    capability.reject(reason);
    return capability.promise;
  }

  static withResolvers(): Capability {
    return capabilityOf(this);
  }

  static try(callback: (...args: unknown[]) => unknown, ...args: unknown[]): any {
    const capability = capabilityOf(this);
    try {
      capability.resolve(callback(...args));
    } catch (error) {
      capability.reject(error);
    }
    return capability.promise;
  }

  static race(items: Iterable<unknown>): any {
    return each(this, items, (promise, _, { resolve, reject }) => promise.then(resolve, reject));
  }

  static all(items: Iterable<unknown>): any {
    return collect(this, items, (entry, { reject }) => [entry((value) => value), reject]);
  }

  static allSettled(items: Iterable<unknown>): any {
    return collect(this, items, (entry) => [
      entry((value) => ({ status: 'fulfilled', value })),
      entry((reason) => ({ status: 'rejected', reason })),
    ]);
  }

  static any(items: Iterable<unknown>): any {
    const finish = (errors: unknown[], { reject }: Capability) => reject(new AggregateError(errors, 'every promise was rejected'));
    return collect(this, items, (entry, { resolve }) => [resolve, entry((reason) => reason)], finish);
  }
}
Object.defineProperty(OwnPromise, 'name', { value: 'Promise', configurable: true });
Object.defineProperty(OwnPromise.prototype, Symbol.toStringTag, { value: 'Promise', configurable: true });

/** SpeciesConstructor. */
function species(promise: any): unknown {
  const constructor = promise.constructor;
  if (constructor === undefined) return OwnPromise;
  if (!isObject(constructor)) throw new TypeError('the constructor of a promise is no object');
  return constructor[Symbol.species] ?? OwnPromise;
}

/** PromiseResolve. */
function resolved(constructor: unknown, value: unknown): any {
  if (value instanceof OwnPromise && value.constructor === constructor) return value;
  const capability = capabilityOf(constructor);
  capability.resolve(value);
  return capability.promise;
}

/** Resolves every item and hands its promise on; what goes wrong on the way rejects the result. */
function each(constructor: any, items: Iterable<unknown>, visit: (promise: any, index: number, capability: Capability) => void, end?: (capability: Capability) => void): any {
  const capability = capabilityOf(constructor);
  try {
    const resolve = constructor.resolve;
    if (typeof resolve !== 'function') throw new TypeError('the constructor has no function resolve');
    let index = 0;
    for (const item of items) visit(Reflect.apply(resolve, constructor, [item]), index++, capability);
    end?.(capability);
  } catch (error) {
    capability.reject(error);
  }
  return capability.promise;
}

type Entry = (form: (value: unknown) => unknown) => Settle;

/** What all, allSettled and any share: one result for each item, and the end when all are there. */
function collect(
  constructor: any,
  items: Iterable<unknown>,
  handlers: (entry: Entry, capability: Capability) => [Settle, Settle],
  finish: (values: unknown[], capability: Capability) => void = (values, { resolve }) => resolve(values),
): any {
  const values: unknown[] = [];
  let left = 1; // the one for the loop itself
  const done = (capability: Capability) => {
    if (--left === 0) finish(values, capability);
  };
  return each(constructor, items, (promise, index, capability) => {
    values[index] = undefined;
    left++;
    let called = false;
    const entry: Entry = (form) => (value) => {
      if (called) return;
      called = true;
      values[index] = form(value);
      done(capability);
    };
    const [fulfilled, rejected] = handlers(entry, capability);
    promise.then(fulfilled, rejected);
  }, done);
}
