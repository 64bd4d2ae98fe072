// Blob and File (File API Standard). A Blob holds all of its bytes: there are no
// files behind it in the sandbox.

import { cloneHook } from 'neuralis:web/clone-hook';
import { bytesOf, concatBytes, copyOf, exactBuffer, isBytesLike } from 'neuralis:web/encoding-bytes';
import { utf8Decode, utf8Encode } from 'neuralis:web/encoding-utf8';
import { ReadableStream } from 'neuralis:web/streams';

export interface BlobPropertyBag {
  type?: string;
  endings?: 'transparent' | 'native';
}

export type BlobPart = ArrayBufferLike | ArrayBufferView | Blob | string;

const contents = /* @__PURE__ */ new WeakMap<object, Uint8Array>();

/** The bytes of a Blob, not to be changed. */
export function blobBytes(blob: Blob): Uint8Array {
  const bytes = contents.get(blob);
  if (bytes === undefined) throw new TypeError('the receiver is not a Blob');
  return bytes;
}

function gather(parts: Iterable<BlobPart> | undefined, native: boolean): Uint8Array {
  if (parts === undefined) return new Uint8Array(0);
  if (typeof parts !== 'object' || parts === null || typeof parts[Symbol.iterator] !== 'function') {
    throw new TypeError('Blob: the parts must be an iterable object, such as an array');
  }
  const chunks: Uint8Array[] = [];
  for (const part of parts) {
    if (contents.has(part as object)) {
      chunks.push(contents.get(part as object)!);
    } else if (isBytesLike(part)) {
      chunks.push(bytesOf(part, 'Blob part'));
    } else {
      const text = `${part as string}`;
      chunks.push(utf8Encode(native ? text.replace(/\r\n?|\n/g, '\n') : text));
    }
  }
  return concatBytes(chunks);
}

/**
 * Says how structuredClone copies the objects of a class. Done from outside of the
 * class, because a bundler keeps a class with a computed member whether it is used or not.
 */
function cloneable<C extends { prototype: object }>(target: C, name: string, clone: (value: any) => unknown): C {
  Object.defineProperty(target, 'name', { value: name, configurable: true });
  Object.defineProperty(target.prototype, cloneHook, {
    value(this: unknown) {
      return clone(this);
    },
    configurable: true,
  });
  return target;
}

class BlobClass {
  readonly #type: string;

  constructor(parts?: Iterable<BlobPart>, options: BlobPropertyBag = {}) {
    if (options !== null && typeof options !== 'object' && typeof options !== 'function') throw new TypeError('Blob: the options must be an object');
    const endings = options?.endings ?? 'transparent';
    if (endings !== 'transparent' && endings !== 'native') throw new TypeError(`Blob: endings must be 'transparent' or 'native', not '${endings}'`);
    const type = `${options?.type ?? ''}`;
    this.#type = /[^ -~]/.test(type) ? '' : type.toLowerCase();
    contents.set(this, gather(parts, endings === 'native'));
  }

  get size(): number {
    return blobBytes(this).byteLength;
  }

  get type(): string {
    return this.#type;
  }

  /** A part of the bytes, from start to before end; negative positions count from the end. */
  slice(start?: number, end?: number, contentType?: string): Blob {
    const part = new Blob(undefined, { type: contentType ?? '' });
    contents.set(part, blobBytes(this).subarray(start ?? 0, end ?? undefined));
    return part;
  }

  async text(): Promise<string> {
    return utf8Decode(blobBytes(this)).replace(/^\ufeff/, '');
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return exactBuffer(copyOf(blobBytes(this), 'Blob'));
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return copyOf(blobBytes(this), 'Blob');
  }

  stream(): ReadableStream<Uint8Array> {
    const bytes = blobBytes(this);
    return new ReadableStream<Uint8Array>({
      start(controller) {
        if (bytes.byteLength > 0) controller.enqueue(copyOf(bytes, 'Blob'));
        controller.close();
      },
    });
  }

  get [Symbol.toStringTag](): string {
    return 'Blob';
  }
}

/** Immutable bytes with a media type. A clone shares them: they never change. */
export const Blob = /* @__PURE__ */ cloneable(BlobClass, 'Blob', (blob: BlobClass) => blob.slice(0, undefined, blob.type));
export type Blob = BlobClass;

export interface FilePropertyBag extends BlobPropertyBag {
  lastModified?: number;
}

class FileClass extends Blob {
  readonly #name: string;
  readonly #lastModified: number;

  constructor(parts: Iterable<BlobPart>, name: string, options: FilePropertyBag = {}) {
    if (arguments.length < 2) throw new TypeError(`File: 2 arguments required, ${arguments.length} given`);
    super(parts, options);
    this.#name = `${name}`.toWellFormed();
    this.#lastModified = options?.lastModified === undefined ? Date.now() : Math.trunc(Number(options.lastModified)) || 0;
  }

  get name(): string {
    return this.#name;
  }

  get lastModified(): number {
    return this.#lastModified;
  }

  get webkitRelativePath(): string {
    return '';
  }

  override get [Symbol.toStringTag](): string {
    return 'File';
  }
}

/** A Blob with a name. */
export const File = /* @__PURE__ */ cloneable(FileClass, 'File', (file: FileClass) => new FileClass([file], file.name, { type: file.type, lastModified: file.lastModified }));
export type File = FileClass;
