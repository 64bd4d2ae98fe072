// TextEncoder and TextDecoder of the Encoding Standard, for UTF-8, UTF-16LE,
// UTF-16BE and windows-1252. The other legacy encodings need tables larger than
// the rest of the prelude; their labels are refused with a RangeError.

import { bytesOf, copyOf, concatBytes, fromUnits } from 'neuralis:web/encoding-bytes';
import { utf8Decode, utf8Encode, utf8IncompleteTail, utf8TryDecode } from 'neuralis:web/encoding-utf8';

export interface TextEncoderEncodeIntoResult {
  read: number;
  written: number;
}

/** Encodes strings as UTF-8. */
export class TextEncoder {
  get encoding(): string {
    return 'utf-8';
  }

  encode(input: string = ''): Uint8Array<ArrayBuffer> {
    return utf8Encode(`${input}`);
  }

  encodeInto(source: string, destination: Uint8Array): TextEncoderEncodeIntoResult {
    const text = `${source}`;
    if (!(destination instanceof Uint8Array)) throw new TypeError('encodeInto: the destination must be a Uint8Array');
    // No code unit takes more than three bytes: what lies further cannot fit.
    const room = destination.byteLength;
    let head = text.length > room ? text.slice(0, room) : text;
    if (head.length < text.length && isLead(head.charCodeAt(head.length - 1))) head = head.slice(0, -1);
    let bytes = utf8Encode(head);
    let read = head.length;
    if (bytes.byteLength > room) {
      let cut = room;
      while (cut > 0 && (bytes[cut]! & 0xc0) === 0x80) cut--;
      bytes = bytes.subarray(0, cut);
      read = utf8Decode(bytes).length;
    }
    destination.set(bytes);
    return { read, written: bytes.byteLength };
  }

  get [Symbol.toStringTag](): string {
    return 'TextEncoder';
  }
}

export interface TextDecoderOptions {
  fatal?: boolean;
  ignoreBOM?: boolean;
}

export interface TextDecodeOptions {
  stream?: boolean;
}

type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

// The labels of the Encoding Standard, section 4.2, for these encodings.
const LABELS: Record<Encoding, string> = {
  'utf-8': 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8',
  'utf-16le': 'csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le',
  'utf-16be': 'unicodefffe utf-16be',
  'windows-1252': 'ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 ' +
    'iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252',
};

/** The encoding of a label, after trimming ASCII white space and ignoring case. */
function encodingOf(label: string): Encoding | undefined {
  const name = label.replace(/^[\t\n\f\r ]+|[\t\n\f\r ]+$/g, '').replace(/[A-Z]/g, (c) => c.toLowerCase());
  if (name === '' || name.includes(' ')) return undefined;
  for (const encoding of Object.keys(LABELS) as Encoding[]) {
    if (` ${LABELS[encoding]} `.includes(` ${name} `)) return encoding;
  }
  return undefined;
}

// windows-1252 is ISO 8859-1 but for these 32 positions, 0x80 to 0x9F.
const WINDOWS_1252 = '\u20AC\x81\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\x8D\u017D\x8F' +
  '\x90\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\x9D\u017E\u0178';

/** Decodes bytes to strings, at once or as a stream of chunks. */
export class TextDecoder {
  readonly #encoding: Encoding;
  readonly #fatal: boolean;
  readonly #ignoreBOM: boolean;
  #held: Uint8Array = new Uint8Array(0);
  #streaming = false;
  #bomSeen = false;

  constructor(label: string = 'utf-8', options: TextDecoderOptions = {}) {
    const encoding = encodingOf(`${label}`);
    if (encoding === undefined) {
      throw new RangeError(`TextDecoder: the encoding '${label}' is not supported; use utf-8, utf-16le, utf-16be or windows-1252`);
    }
    this.#encoding = encoding;
    this.#fatal = Boolean(options?.fatal);
    this.#ignoreBOM = Boolean(options?.ignoreBOM);
  }

  get encoding(): string {
    return this.#encoding;
  }

  get fatal(): boolean {
    return this.#fatal;
  }

  get ignoreBOM(): boolean {
    return this.#ignoreBOM;
  }

  decode(input?: ArrayBufferLike | ArrayBufferView, options: TextDecodeOptions = {}): string {
    let bytes = input === undefined ? new Uint8Array(0) : bytesOf(input, 'TextDecoder.decode: the input');
    const more = Boolean(options?.stream);
    if (!this.#streaming) {
      this.#held = new Uint8Array(0);
      this.#bomSeen = false;
    }
    this.#streaming = more;
    if (this.#held.byteLength > 0) {
      bytes = concatBytes([this.#held, bytes]);
      this.#held = new Uint8Array(0);
    }
    if (more) {
      const tail = this.#incomplete(bytes);
      this.#held = copyOf(bytes.subarray(bytes.byteLength - tail), 'chunk');
      bytes = bytes.subarray(0, bytes.byteLength - tail);
    }
    let text: string;
    try {
      text = this.#convert(bytes);
    } catch (error) {
      // The next call begins anew, as after any call that did not stream.
      this.#streaming = false;
      throw error;
    }
    if (!this.#bomSeen && text !== '') {
      this.#bomSeen = true;
      if (!this.#ignoreBOM && this.#encoding !== 'windows-1252' && text.startsWith('\uFEFF')) return text.slice(1);
    }
    return text;
  }

  #incomplete(bytes: Uint8Array): number {
    if (this.#encoding === 'windows-1252') return 0;
    if (this.#encoding === 'utf-8') return utf8IncompleteTail(bytes);
    const odd = bytes.byteLength % 2;
    const high = bytes[bytes.byteLength - odd - (this.#encoding === 'utf-16be' ? 2 : 1)];
    return high !== undefined && (high & 0xfc) === 0xd8 ? odd + 2 : odd;
  }

  #convert(bytes: Uint8Array): string {
    if (this.#encoding === 'windows-1252') {
      return fromUnits(bytes).replace(/[\x80-\x9f]/g, (c) => WINDOWS_1252[c.charCodeAt(0) - 0x80]!);
    }
    let text: string | undefined;
    if (this.#encoding === 'utf-8') {
      text = this.#fatal ? utf8TryDecode(bytes) : utf8Decode(bytes);
    } else {
      const raw = utf16(bytes, this.#encoding === 'utf-16be');
      text = this.#fatal && (bytes.byteLength % 2 === 1 || !raw.isWellFormed()) ? undefined : raw.toWellFormed();
    }
    if (text === undefined) throw new TypeError(`TextDecoder: the data is not valid ${this.#encoding}`);
    return text;
  }

  get [Symbol.toStringTag](): string {
    return 'TextDecoder';
  }
}

/** UTF-16 code units, with U+FFFD for an odd last byte (and a lead surrogate before it). */
function utf16(bytes: Uint8Array, bigEndian: boolean): string {
  const units = new Uint16Array(bytes.byteLength >> 1);
  const [low, high] = bigEndian ? [1, 0] : [0, 1];
  for (let i = 0; i < units.length; i++) units[i] = bytes[2 * i + low]! | (bytes[2 * i + high]! << 8);
  const text = fromUnits(units);
  if (bytes.byteLength % 2 === 0) return text;
  return (isLead(text.charCodeAt(text.length - 1)) ? text.slice(0, -1) : text) + '\uFFFD';
}

function isLead(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}
