// Values as text for people: what console prints. The form is the one that users of
// JavaScript consoles know; no standard lays it down.

import { describeError } from './report.ts';

const maxDepth = 4;
const maxItems = 100;
const maxText = 10_000;
const lineWidth = 76;

/** A value as text. Strings are quoted, because this is for values inside others and alone. */
export function inspect(value: unknown): string {
  return format(value, 0, []);
}

function format(value: unknown, depth: number, open: object[]): string {
  switch (typeof value) {
    case 'string':
      return quote(value.length > maxText ? `${value.slice(0, maxText)}… ${value.length - maxText} more characters` : value);
    case 'bigint':
      return `${value}n`;
    case 'number':
      return Object.is(value, -0) ? '-0' : String(value);
    case 'object':
    case 'function':
      return value === null ? 'null' : formatGuarded(value, depth, open);
    default:
      return String(value);
  }
}

/** Getters and proxies of the author's may throw; console must not. */
function formatGuarded(value: object, depth: number, open: object[]): string {
  if (open.includes(value)) return '[Circular]';
  open.push(value);
  try {
    return formatObject(value, depth, open);
  } catch (error) {
    return `[cannot be shown: ${error instanceof Error ? error.message : String(error)}]`;
  } finally {
    open.pop();
  }
}

function formatObject(value: object, depth: number, open: object[]): string {
  const label = nameOf(value);
  const inner = (item: unknown) => format(item, depth + 1, open);
  if (typeof value === 'function') return withProperties(functionLabel(value), value, depth, open);
  if (value instanceof Error) return formatError(value, depth, open);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : withProperties(value.toISOString(), value, depth, open);
  if (value instanceof RegExp) return withProperties(String(value), value, depth, open);
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return `[${label}: ${inner(value.valueOf())}]`;
  if (depth > maxDepth) return `[${Array.isArray(value) ? 'Array' : label || 'Object'}]`;

  if (Array.isArray(value)) return brackets(label === 'Array' ? '' : `${label}(${value.length}) `, '[', arrayItems(value, inner).concat(properties(value, inner)), ']');
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    const items = value as unknown as ArrayLike<number | bigint>;
    return brackets(`${label}(${items.length}) `, '[', [...Array.prototype.slice.call(items, 0, maxItems).map((n) => format(n, 0, [])), ...more(items.length)], ']');
  }
  if (value instanceof ArrayBuffer) return `${label} { byteLength: ${value.byteLength} }`;
  if (value instanceof Map) {
    const items = take(value.entries()).map(([k, v]) => `${inner(k)} => ${inner(v)}`);
    return brackets(`${label}(${value.size}) `, '{', [...items, ...more(value.size), ...properties(value, inner)], '}');
  }
  if (value instanceof Set) return brackets(`${label}(${value.size}) `, '{', [...take(value.values()).map(inner), ...more(value.size), ...properties(value, inner)], '}');
  if (isPairs(value)) return brackets(`${label} `, '{', take(value.entries()).map(([k, v]) => `${inner(k)} => ${inner(v)}`), '}');
  const prefix = label === 'Object' ? '' : `${label} `;
  return brackets(prefix, '{', [...properties(value, inner), ...attributes(value, inner)], '}');
}

/** Headers, FormData, URLSearchParams: what WebIDL calls a pair iterable. */
const isPairs = (value: object): value is { entries(): Iterable<[string, unknown]> } =>
  /^(Headers|FormData|URLSearchParams)$/.test(tagOf(value)) && typeof (value as { entries?: unknown }).entries === 'function';

const tagOf = (value: object): string => String((value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag] ?? '');

function nameOf(value: object): string {
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === null) return '[Object: null prototype]';
  const { constructor } = prototype as { constructor?: unknown };
  const name = typeof constructor === 'function' && constructor.name ? constructor.name : 'Object';
  const tag = tagOf(value);
  if (name === `_${tag}`) return tag; // what bundlers make of a class that mentions itself
  return tag && tag !== name ? `${name} [${tag}]` : name;
}

function functionLabel(value: Function): string {
  // The source would tell, but the engine may not have kept it. The prototype of a class cannot be replaced.
  if (Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false) {
    const parent = (Object.getPrototypeOf(value) as Function).name;
    return `[class ${value.name || '(anonymous)'}${parent ? ` extends ${parent}` : ''}]`;
  }
  const kind = nameOf(value);
  return `[${kind}${value.name ? `: ${value.name}` : ' (anonymous)'}]`;
}

function formatError(error: Error, depth: number, open: object[]): string {
  const text = describeError(error);
  const shown = new Set(['message', 'stack', 'cause', 'name', 'lineNumber', 'columnNumber', 'fileName']);
  const inner = (item: unknown) => format(item, depth + 1, open);
  const rest = properties(error, inner, shown);
  if (error instanceof AggregateError) rest.push(`[errors]: ${inner(error.errors)}`);
  return rest.length === 0 ? text : `${text} ${brackets('', '{', rest, '}')}`;
}

function withProperties(head: string, value: object, depth: number, open: object[]): string {
  const rest = depth > maxDepth ? [] : properties(value, (item) => format(item, depth + 1, open));
  return rest.length === 0 ? head : `${head} ${brackets('', '{', rest, '}')}`;
}

function arrayItems(array: unknown[], inner: (item: unknown) => string): string[] {
  const items: string[] = [];
  let holes = 0;
  const flush = () => {
    if (holes > 0) items.push(`<${holes} empty item${holes === 1 ? '' : 's'}>`);
    holes = 0;
  };
  const end = Math.min(array.length, maxItems);
  for (let i = 0; i < end; i++) {
    if (!(i in array)) {
      holes++;
      continue;
    }
    flush();
    items.push(inner(array[i]));
  }
  flush();
  return [...items, ...more(array.length)];
}

/** The own properties that can be enumerated, without the indices of arrays. */
function properties(value: object, inner: (item: unknown) => string, except?: Set<string>): string[] {
  const keys = Reflect.ownKeys(value).filter((key) => !except?.has(key as string) && !(Array.isArray(value) && typeof key === 'string' && /^\d+$/.test(key)));
  const items: string[] = [];
  for (const key of keys) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    if (!property?.enumerable) continue;
    if (items.length === maxItems) {
      items.push(...more(keys.length));
      break;
    }
    items.push(`${keyText(key)}: ${property.get ? (property.set ? '[Getter/Setter]' : '[Getter]') : property.set ? '[Setter]' : inner(property.value)}`);
  }
  return items;
}

/** The attributes of a Web API object, accessors of its prototype. Such an object is known by its tag, which an author's class seldom has. */
function attributes(value: object, inner: (item: unknown) => string): string[] {
  const items: string[] = [];
  if (!tagOf(value)) return items;
  for (let proto = Object.getPrototypeOf(value); proto && proto !== Object.prototype; proto = Object.getPrototypeOf(proto)) {
    for (const [key, property] of Object.entries(Object.getOwnPropertyDescriptors(proto))) {
      if (property.get && !items.some((item) => item.startsWith(`${key}: `))) items.push(`${key}: ${inner(property.get.call(value))}`);
    }
  }
  return items;
}

const keyText = (key: string | symbol): string =>
  typeof key === 'symbol' ? `[${String(key)}]` : /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key);

/** Single quotes unless the text has them and none of the others, as Node does. */
function quote(text: string): string {
  const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes('`') && !text.includes('${') ? '`' : "'";
  const escaped = text.replace(/[\\\0-\x1f\x7f-\x9f]|\p{Surrogate}/gu, (c) => {
    const short = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f', '\v': '\\v' }[c];
    const code = c.charCodeAt(0);
    return short ?? (code < 256 ? `\\x${code.toString(16).toUpperCase().padStart(2, '0')}` : `\\u${code.toString(16).toUpperCase()}`);
  });
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}

function take<T>(items: Iterable<T>): T[] {
  const taken: T[] = [];
  for (const item of items) {
    if (taken.length === maxItems) break;
    taken.push(item);
  }
  return taken;
}

const more = (count: number): string[] => (count > maxItems ? [`... ${count - maxItems} more`] : []);

function brackets(prefix: string, before: string, items: string[], after: string): string {
  if (items.length === 0) return `${prefix}${before}${after}`;
  const length = items.reduce((sum, item) => sum + item.length + 2, prefix.length);
  if (length <= lineWidth && !items.some((item) => item.includes('\n'))) return `${prefix}${before} ${items.join(', ')} ${after}`;
  return `${prefix}${before}\n${items.map((item) => `  ${item.replaceAll('\n', '\n  ')}`).join(',\n')}\n${after}`;
}
