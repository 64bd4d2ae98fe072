// FormData (XMLHttpRequest Standard, section 5).

import { Blob, blobBytes, File } from 'neuralis:web/blob';

export type FormDataEntryValue = string | File;

/** An ordered list of fields; a field is a string or a file. */
export class FormData {
  #entries: [name: string, value: FormDataEntryValue][] = [];

  constructor(form?: undefined) {
    if (form !== undefined) throw new TypeError('FormData: there are no form elements here; call it without arguments');
  }

  append(name: string, value: string | Blob, filename?: string): void {
    needs(arguments.length, 2, 'append');
    this.#entries.push(entry(name, value, filename, arguments.length > 2));
  }

  delete(name: string): void {
    needs(arguments.length, 1, 'delete');
    const key = usv(name);
    this.#entries = this.#entries.filter((item) => item[0] !== key);
  }

  get(name: string): FormDataEntryValue | null {
    needs(arguments.length, 1, 'get');
    const key = usv(name);
    return this.#entries.find((item) => item[0] === key)?.[1] ?? null;
  }

  getAll(name: string): FormDataEntryValue[] {
    needs(arguments.length, 1, 'getAll');
    const key = usv(name);
    return this.#entries.filter((item) => item[0] === key).map((item) => item[1]);
  }

  has(name: string): boolean {
    needs(arguments.length, 1, 'has');
    const key = usv(name);
    return this.#entries.some((item) => item[0] === key);
  }

  set(name: string, value: string | Blob, filename?: string): void {
    needs(arguments.length, 2, 'set');
    const next = entry(name, value, filename, arguments.length > 2);
    const first = this.#entries.findIndex((item) => item[0] === next[0]);
    if (first < 0) {
      this.#entries.push(next);
      return;
    }
    this.#entries[first] = next;
    this.#entries = this.#entries.filter((item, i) => i <= first || item[0] !== next[0]);
  }

  forEach(callback: (value: FormDataEntryValue, name: string, form: FormData) => void, thisArg?: unknown): void {
    if (typeof callback !== 'function') throw new TypeError('FormData.forEach: the callback is not a function');
    for (const [name, value] of this) callback.call(thisArg, value, name, this);
  }

  *entries(): IterableIterator<[string, FormDataEntryValue]> {
    for (let i = 0; i < this.#entries.length; i++) {
      const [name, value] = this.#entries[i]!;
      yield [name, value];
    }
  }

  *keys(): IterableIterator<string> {
    for (const [name] of this) yield name;
  }

  *values(): IterableIterator<FormDataEntryValue> {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator](): IterableIterator<[string, FormDataEntryValue]> {
    return this.entries();
  }

  get [Symbol.toStringTag](): string {
    return 'FormData';
  }
}

function entry(name: string, value: string | Blob, filename: string | undefined, named: boolean): [string, FormDataEntryValue] {
  const key = usv(name);
  if (!(value instanceof Blob)) {
    if (named) throw new TypeError('FormData: a file name goes with a Blob only');
    return [key, usv(value)];
  }
  if (value instanceof File && !named) return [key, value];
  const title = named ? usv(filename) : 'blob';
  return [key, new File([blobBytes(value)], title, { type: value.type, ...(value instanceof File && { lastModified: value.lastModified }) })];
}

function usv(value: unknown): string {
  return `${value as string}`.toWellFormed();
}

function needs(given: number, wanted: number, method: string): void {
  if (given < wanted) throw new TypeError(`FormData.${method}: ${wanted} argument${wanted > 1 ? 's' : ''} required, ${given} given`);
}
