// The functions of JavaScript that the runtime's own promises rest on, taken before any module of the author's
// or of npm's is evaluated. Code that replaces them later changes its own world: not what the package says of
// its routes while it is built, and not the form of what the host is told.

export const jsonStringify = JSON.stringify;
export const jsonParse = JSON.parse;
export const keysOf = Object.keys;
export const hasOwn = Object.hasOwn;

const { apply } = Reflect;
const { setPrototypeOf } = Object;
const { sort, includes } = Array.prototype;

/** An empty list that inherits nothing: no setter of an index, no toJSON. It has no methods either. */
export const bareList = <T>(): T[] => setPrototypeOf([], null);

/** A property of the object itself: a module does not export what somebody added to Object.prototype. */
export const own = (object: object, name: string): unknown => (hasOwn(object, name) ? (object as Record<string, unknown>)[name] : undefined);

/** Sorts a list of texts in place. */
export const sortTexts = (list: string[]): string[] => apply(sort, list, []);

/** Whether a list has a text. */
export const hasText = (list: readonly string[], text: string): boolean => apply(includes, list, [text]);
