// A stand-in for `neuralis:native` where the engine glue is not there. The UTF-8
// operations answer as the engine's do, invalid input included: one U+FFFD for
// each invalid byte, surrogates let through. HTTP is answered by a handler that the fetch
// suite sets.

export interface FakeResponse {
  status: number;
  headers?: string;
  body?: Uint8Array;
}

export const http: { handler: ((request: any, body: ArrayBuffer | undefined) => FakeResponse) | undefined } = { handler: undefined };

let last: FakeResponse = { status: 0 };

export function native(op: number, a?: any, b?: any, c?: any): any {
  switch (op) {
    case 8:
      if (http.handler === undefined) throw new Error('no HTTP here');
      last = http.handler(JSON.parse(a), b);
      return (last.body ?? new Uint8Array(0)).slice().buffer;
    case 9:
      return last.status;
    case 10:
      return last.headers;
    case 11:
      return new Uint8Array(a).map((_, i) => (i * 37 + 11) & 0xff).buffer;
    case 12:
    case 17:
      return Date.now();
    case 13:
      return encode(a);
    case 14:
      return decode(new Uint8Array(a, b, c));
    default:
      throw new Error(`native operation ${op} is not here`);
  }
}

// What other modules import from there by name.
export const enum LogLevel { trace = 0, debug = 1, info = 2, warn = 3, error = 4 }
export const log = (level: number, text: string): void => native(4, level, text);
export const monotonic = (): number => native(12);
export const wallclock = (): number => native(17);
export const hostCall = (_request: string): string => '{"error":{"code":"unsupported","message":"no host here"}}';
export const httpRequest = (request: string, body: ArrayBuffer | undefined): ArrayBuffer => native(8, request, body);
export const httpStatus = (): number => native(9);
export const httpHeaders = (): string | undefined => native(10);
export const random = (size: number): ArrayBuffer => native(11, size);

function encode(text: string): ArrayBuffer {
  if (!text.isWellFormed()) throw new Error('utf8Encode was given an ill-formed string');
  const out: number[] = [];
  for (const char of text) {
    const p = char.codePointAt(0)!;
    if (p < 0x80) out.push(p);
    else if (p < 0x800) out.push(0xc0 | (p >> 6), 0x80 | (p & 63));
    else if (p < 0x10000) out.push(0xe0 | (p >> 12), 0x80 | ((p >> 6) & 63), 0x80 | (p & 63));
    else out.push(0xf0 | (p >> 18), 0x80 | ((p >> 12) & 63), 0x80 | ((p >> 6) & 63), 0x80 | (p & 63));
  }
  return new Uint8Array(out).buffer;
}

function decode(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length;) {
    const lead = bytes[i]!;
    const more = lead < 0x80 ? 0 : lead < 0xc0 ? -1 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : lead < 0xf8 ? 3 : -1;
    let p = more === 0 ? lead : lead & (0x3f >> more);
    let ok = more >= 0;
    for (let k = 1; ok && k <= more; k++) {
      ok = ((bytes[i + k] ?? 0) & 0xc0) === 0x80;
      p = (p << 6) | (bytes[i + k]! & 63);
    }
    ok &&= p >= [0, 0x80, 0x800, 0x10000][more]! && p <= 0x10ffff;
    text += ok ? String.fromCodePoint(p) : '\ufffd';
    i += ok ? more + 1 : 1;
  }
  return text;
}
