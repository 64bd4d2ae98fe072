// Bodies, shared by Request and Response (Fetch Standard, section 5.2). A body is
// kept as bytes for as long as nobody asks for its stream: the host hands over whole
// bodies, and reading bytes as bytes costs no promises and no queues.

import { jsonParse } from '../primordials.ts';
import { Blob, blobBytes } from 'neuralis:web/blob';
import { mediaTypeOf, serializeMediaType } from 'neuralis:web/body-mime';
import { concatBytes, copyOf, exactBuffer, isBytesLike } from 'neuralis:web/encoding-bytes';
import { utf8Decode, utf8Encode } from 'neuralis:web/encoding-utf8';
import { FormData } from 'neuralis:web/formdata';
import { decodeMultipart, encodeMultipart } from 'neuralis:web/formdata-multipart';
import type { HeaderList } from 'neuralis:web/headers';
import { isDisturbed, ReadableStream } from 'neuralis:web/streams';
import { parseForm, URLSearchParams } from 'neuralis:web/url-searchparams';

export type BodyInit = string | ArrayBufferLike | ArrayBufferView | Blob | FormData | URLSearchParams | ReadableStream<Uint8Array>;

/** A body, or its absence. */
export class BodyState {
  #bytes: Uint8Array | undefined;
  #stream: ReadableStream<Uint8Array> | undefined;
  #used = false;

  constructor(source: Uint8Array | ReadableStream<Uint8Array> | undefined) {
    if (source instanceof ReadableStream) this.#stream = source;
    else this.#bytes = source;
  }

  get present(): boolean {
    return this.#bytes !== undefined || this.#stream !== undefined;
  }

  get streamed(): boolean {
    return this.#stream !== undefined;
  }

  get used(): boolean {
    return this.#used || (this.#stream !== undefined && isDisturbed(this.#stream));
  }

  get unusable(): boolean {
    return this.used || (this.#stream?.locked ?? false);
  }

  /** The stream; from here on it is what the body is. */
  stream(): ReadableStream<Uint8Array> | null {
    if (this.#stream !== undefined || this.#bytes === undefined) return this.#stream ?? null;
    const bytes = this.#bytes;
    this.#stream = new ReadableStream<Uint8Array>({
      start(controller) {
        if (bytes.byteLength > 0) controller.enqueue(copyOf(bytes, 'body'));
        controller.close();
      },
    });
    // Used before: readers of the stream must find that out.
    if (this.#used) void this.#stream.cancel();
    return this.#stream;
  }

  /** All bytes, once. */
  async consume(): Promise<Uint8Array> {
    if (this.unusable) throw new TypeError('the body has already been read, or its stream is locked');
    if (this.#stream === undefined) {
      this.#used = this.present;
      return this.#bytes ?? new Uint8Array(0);
    }
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#stream) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError('a body stream must consist of Uint8Array chunks');
      chunks.push(chunk);
    }
    return concatBytes(chunks);
  }

  /** A second body with the same content. */
  clone(): BodyState {
    if (this.unusable) throw new TypeError('a body that has been read, or whose stream is locked, cannot be cloned');
    if (this.#stream === undefined) return new BodyState(this.#bytes);
    const [mine, other] = this.#stream.tee();
    this.#stream = mine;
    return new BodyState(other);
  }

  /** Hands the content to a new owner; this body is used from now on. */
  take(): BodyState {
    if (this.unusable) throw new TypeError('the body has already been read, or its stream is locked');
    const taken = new BodyState(this.#bytes);
    if (this.#stream !== undefined) taken.#stream = ReadableStream.from(this.#stream);
    this.#used = this.present;
    return taken;
  }
}

/** A body and the Content-Type that goes with it, from what a constructor accepts. */
export function extractBody(init: BodyInit): { body: BodyState; type: string | undefined } {
  const bytes = (content: Uint8Array, type?: string): { body: BodyState; type: string | undefined } => ({ body: new BodyState(content), type });
  if (init instanceof ReadableStream) {
    if (init.locked || isDisturbed(init)) throw new TypeError('the stream for a body must neither be locked nor have been read');
    return { body: new BodyState(init), type: undefined };
  }
  if (init instanceof URLSearchParams) return bytes(utf8Encode(init.toString()), 'application/x-www-form-urlencoded;charset=UTF-8');
  if (init instanceof Blob) return bytes(blobBytes(init), init.type || undefined);
  if (init instanceof FormData) {
    const form = encodeMultipart(init);
    return bytes(form.bytes, `multipart/form-data; boundary=${form.boundary}`);
  }
  if (isBytesLike(init)) return bytes(copyOf(init, 'body'));
  return bytes(utf8Encode(`${init}`), 'text/plain;charset=UTF-8');
}

/** What Request and Response have in common. */
export abstract class Body {
  readonly #state: BodyState;
  readonly #headers: HeaderList;

  constructor(state: BodyState, headers: HeaderList) {
    this.#state = state;
    this.#headers = headers;
  }

  get body(): ReadableStream<Uint8Array> | null {
    return this.#state.stream();
  }

  get bodyUsed(): boolean {
    return this.#state.used;
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return exactBuffer(copyOf(await this.#state.consume(), 'body'));
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return copyOf(await this.#state.consume(), 'body');
  }

  async text(): Promise<string> {
    return textOf(await this.#state.consume());
  }

  async json(): Promise<any> {
    return jsonParse(textOf(await this.#state.consume()));
  }

  async blob(): Promise<Blob> {
    const bytes = await this.#state.consume();
    const type = mediaTypeOf(this.#headers.all('content-type'));
    return new Blob([bytes], { type: type === undefined ? '' : serializeMediaType(type) });
  }

  async formData(): Promise<FormData> {
    const bytes = await this.#state.consume();
    const type = mediaTypeOf(this.#headers.all('content-type'));
    if (type?.essence === 'multipart/form-data') {
      const boundary = type.parameters.get('boundary');
      const form = boundary === undefined ? undefined : decodeMultipart(bytes, boundary);
      if (form === undefined) throw new TypeError('formData: the body is not well-formed multipart/form-data');
      return form;
    }
    if (type?.essence !== 'application/x-www-form-urlencoded') {
      throw new TypeError(`formData: the Content-Type must be multipart/form-data or application/x-www-form-urlencoded, not '${type?.essence ?? ''}'`);
    }
    const form = new FormData();
    for (const [name, value] of parseForm(textOf(bytes))) form.append(name, value);
    return form;
  }
}

/** "UTF-8 decode": a byte order mark is dropped. */
function textOf(bytes: Uint8Array): string {
  const text = utf8Decode(bytes);
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
