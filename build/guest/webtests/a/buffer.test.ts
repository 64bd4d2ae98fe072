// Buffer: examples, and generated calls compared with Node's own Buffer.

import NodeBuffer, { Buffer, isAscii, isUtf8 } from 'neuralis:web/buffer';
import { equal, numbers, outcome, test, throws, type Report } from './report';

export function run(report: Report): void {
  basics(report);
  numbersInBuffers(report);
  if (report.peer) differential(report, report.peer['Buffer']);
}

function basics(report: Report): void {
  test(report, 'from and toString', () => {
    for (const [text, encoding, want] of [
      ['h\u00e9\u{1f600}\ud800', 'utf8', [104, 0xc3, 0xa9, 0xf0, 0x9f, 0x98, 0x80, 0xef, 0xbf, 0xbd]], ['a\u00e9', 'latin1', [97, 0xe9]], ['a\u0141', 'ascii', [97, 0x41]],
      ['ab', 'utf16le', [97, 0, 98, 0]], ['00fF1', 'hex', [0, 255]], ['abxx', 'hex', [0xab]], ['YWI=', 'base64', [97, 98]], ['__-A', 'base64', [255, 255, 128]],
      ['__-A', 'base64url', [255, 255, 128]], ['Y W\nI', 'base64', [97, 98]],
    ] as const) equal(Buffer.from(text, encoding), [...want], `${text} ${encoding}`);
    const bytes = Buffer.from([0xe9, 0x41, 0xff]);
    equal([bytes.toString(), bytes.toString('latin1'), bytes.toString('ascii'), bytes.toString('hex'), bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('ucs2')],
      ['\ufffdA\ufffd', '\u00e9A\u00ff', 'iA\x7f', 'e941ff', '6UH/', '6UH_', '\u41e9']);
    equal(bytes.toString('latin1', 1, 2), 'A');
    throws(() => bytes.toString('nope'), 'TypeError');
    throws(() => Buffer.from('x', 'nope'), 'TypeError');
    throws(() => Buffer.from(5 as any), 'TypeError');
  });
  test(report, 'memory is shared or copied as in Node', () => {
    const memory = new Uint8Array([1, 2, 3, 4]);
    const shared = Buffer.from(memory.buffer, 1, 2);
    const copied = Buffer.from(memory);
    memory[1] = 9;
    equal([shared[0], copied[1]], [9, 2]);
    const part = shared.slice(1);
    part[0] = 7;
    equal([memory[2], part instanceof Buffer, Buffer.isBuffer(shared.subarray(1)), Buffer.isBuffer(memory)], [7, true, true, false]);
    equal(shared.map((n) => n + 1) instanceof Buffer, true);
    equal(shared instanceof Uint8Array, true);
    equal(Buffer.from(Buffer.from('x').toJSON() as any), [120]);
    equal(Buffer.from({ length: 2, 0: 1, 1: 257 } as any), [1, 1]);
    equal(Buffer.from(new String('s') as any).toString(), 's');
  });
  test(report, 'alloc, concat, fill', () => {
    equal(Buffer.alloc(3), [0, 0, 0]);
    equal(Buffer.alloc(5, 'ab').toString(), 'ababa');
    equal(Buffer.alloc(3, 'AQI', 'base64'), [1, 2, 1]);
    equal(Buffer.concat([Buffer.from('a'), new Uint8Array([98]), Buffer.from('cd')], 3).toString(), 'abc');
    equal(Buffer.concat([Buffer.from('a')], 3), [97, 0, 0]);
    equal(Buffer.alloc(4, 1).fill('zz', 1, 3).toString('latin1'), '\x01zz\x01');
    throws(() => Buffer.alloc(-1), 'RangeError');
    throws(() => Buffer.alloc('5' as any), 'TypeError');
  });
  test(report, 'compare, equals, search, copy, write, swap', () => {
    equal([Buffer.compare(Buffer.from('a'), Buffer.from('b')), Buffer.from('ab').compare(Buffer.from('a'))], [-1, 1]);
    equal(Buffer.from('x'.repeat(50)).equals(new Uint8Array(50).fill(120)), true);
    const text = Buffer.from('this is a buffer');
    equal([text.indexOf('is'), text.indexOf('is', 3), text.indexOf(Buffer.from('a b')), text.indexOf(98), text.lastIndexOf('is'), text.includes('zz'), text.indexOf('')], [2, 5, 8, 10, 5, false, 0]);
    const target = Buffer.alloc(4);
    equal([Buffer.from('abcdef').copy(target, 1, 2, 9), [...target]], [3, [0, 99, 100, 101]]);
    equal([target.write('\u20ac\u20ac'), target.write('zz', 3), target.write('ff', 0, 'hex'), target.write('ab', 1, 1, 'latin1')], [3, 1, 1, 1]);
    equal(Buffer.from([1, 2, 3, 4]).swap16(), [2, 1, 4, 3]);
    throws(() => Buffer.alloc(3).swap16(), 'RangeError');
  });
  test(report, 'what goes with it', () => {
    equal([Buffer.byteLength('\u20ac'), Buffer.byteLength('YWI=', 'base64'), Buffer.isEncoding('UTF-8'), Buffer.isEncoding('x'), Buffer.name], [3, 2, true, false, 'Buffer']);
    equal([isUtf8(Buffer.from([0xff])), isUtf8(Buffer.from('\u00e9')), isAscii(Buffer.from('a')), NodeBuffer.Buffer === Buffer], [false, true, true, true]);
    equal(JSON.stringify({ b: Buffer.from('a') }), '{"b":{"type":"Buffer","data":[97]}}');
  });
}

function numbersInBuffers(report: Report): void {
  test(report, 'numbers', () => {
    const bytes = Buffer.alloc(8);
    equal(bytes.writeUInt16BE(0x1234, 2), 4);
    equal([bytes.readUInt16LE(2), bytes.readUInt8(3), bytes.readUInt32BE(0), (bytes as any).readUint16BE(2)], [0x3412, 0x34, 0x1234, 0x1234]);
    bytes.writeBigInt64LE(-2n);
    equal([bytes.readBigUInt64LE(), bytes.readBigInt64BE()].map(String), [2n ** 64n - 2n, BigInt.asIntN(64, 0xfeffffffffffffffn)].map(String));
  });
  test(report, 'numbers out of range', () => {
    const bytes = Buffer.alloc(2);
    for (const call of [() => bytes.readUInt32LE(), () => bytes.readUInt8(2), () => bytes.readUInt8(0.5), () => bytes.writeUInt8(256), () => bytes.writeInt8(-129),
      () => bytes.readUIntLE(0, 7), () => bytes.writeUIntBE(-1, 0, 2), () => bytes.readUInt8(-1)]) throws(call, 'RangeError');
    for (const call of [() => bytes.readUInt8('0' as any), () => bytes.readUIntLE(undefined as any, 1), () => Buffer.alloc(8).writeBigInt64LE(1 as any)]) throws(call, 'TypeError');
    equal(outcome(() => bytes.writeUInt8(256)), 'throws RangeError');
  });
}

const ENCODINGS = ['utf8', 'hex', 'base64', 'base64url', 'latin1', 'ascii', 'utf16le', 'binary', 'UCS-2', undefined];
const TEXTS = ['', 'a', 'abc', 'ab', '00ff', '0g', 'YWJj', 'YW==', 'Y-_/', '\u00e9\u20ac', '\u{1f600}x', '\ud800', 'a'.repeat(40), 'abab', 'Y W=J', '00f'];

function differential(report: Report, Peer: any): void {
  const next = numbers(11);
  const pick = <T>(list: readonly T[]): T => list[next(list.length)]!;
  const both = (name: string, use: (Class: any) => unknown): void => {
    test(report, `peer buffer ${name}`, () => equal(plain(outcome(() => use(Buffer))), plain(outcome(() => use(Peer)))));
  };
  const position = (): number | undefined => pick([undefined, 0, 1, 2, 3, 5, -1, -3, 100, 1.5, NaN]);
  for (let i = 0; i < 800; i++) {
    const text = pick(TEXTS) + pick(TEXTS);
    const other = pick(ENCODINGS);
    // Node's base64 stops at characters above U+00FF, where it skips those below.
    const encoding = pick(/[^\0-\xff]/.test(text) ? ENCODINGS.filter((name) => !name?.startsWith('base64')) : ENCODINGS);
    both(`from ${JSON.stringify(text)} ${encoding} as ${other}`, (B) => [[...B.from(text, encoding)], B.from(text, encoding).toString(other), B.byteLength(text, encoding)]);
    const [a, b, c, d] = [position(), position(), position(), position()];
    both(`slice ${text} ${a} ${b}`, (B) => [B.from(text).slice(a, b).toString('hex'), B.from(text).subarray(a, b).length, B.from(text).toString('latin1', a, b)]);
    const needle = pick([pick(TEXTS), 97, 300, new Uint8Array([97, 98]), new Uint8Array(0)]);
    for (const method of ['indexOf', 'lastIndexOf', 'includes']) {
      // Not copied: what Node answers for bytes searched in an encoding, and backwards for nothing.
      const kind = typeof needle === 'string' ? encoding : undefined;
      if (method === 'lastIndexOf' && typeof needle !== 'number' && Buffer.from(needle as string, kind).length === 0) continue;
      both(`${method} ${JSON.stringify(text)} ${JSON.stringify(needle)} ${a} ${kind}`, (B) => B.from(text, 'latin1')[method](needle, a, kind));
    }
    both(`fill ${JSON.stringify(needle)} ${a} ${b} ${encoding}`, (B) => [...B.alloc(6, 1).fill(needle, a, b, encoding)]);
    both(`write ${JSON.stringify(text)} ${a} ${b} ${encoding}`, (B) => {
      const bytes = B.alloc(6, 1);
      return [bytes.write(text, a, b, encoding), [...bytes]];
    });
    both(`copy ${text} ${a} ${b} ${c}`, (B) => {
      const bytes = B.alloc(6, 1);
      return [B.from(text).copy(bytes, a, b, c), [...bytes]];
    });
    both(`compare ${text} ${a} ${b} ${c} ${d}`, (B) => [B.from(text).compare(B.from('abc'), a, b, c, d), B.from(text).equals(B.from('abc'))]);
  }
  const kinds = ['UInt8', 'UInt16LE', 'UInt16BE', 'UInt32LE', 'UInt32BE', 'Int8', 'Int16LE', 'Int16BE', 'Int32LE', 'Int32BE', 'FloatLE', 'FloatBE', 'DoubleLE', 'DoubleBE',
    'BigInt64LE', 'BigInt64BE', 'BigUInt64LE', 'BigUInt64BE', 'UIntLE', 'UIntBE', 'IntLE', 'IntBE', 'Uint8', 'BigUint64BE'];
  const values = [0, 1, -1, 127, 128, 255, 256, -128, -129, 65535, 65536, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 1.5, 255.5, NaN, 0.1, 1e300, '5', 5n, -1n, 2n ** 63n, 2n ** 64n, 2 ** 40, -(2 ** 39)];
  for (let i = 0; i < 2000; i++) {
    const kind = pick(kinds);
    const value = pick(values.filter((one) => (typeof one === 'bigint') === kind.startsWith('Big')));
    // Node's order of checks differs between its own methods when the offset is left out.
    const [offset, width] = [pick([/^U?Int[LB]E$/.test(kind) ? 3 : undefined, 0, 1, 2, 8, -1, 0.5]), pick([1, 2, 3, 4, 5, 6, 7])];
    both(`write and read ${kind} ${String(value)} ${offset} ${width}`, (B) => {
      const bytes = B.alloc(9, 0xaa);
      return [outcome(() => bytes[`write${kind}`](value, offset, width)), [...bytes], outcome(() => bytes[`read${kind}`](offset, width))];
    });
  }
}

function plain(value: unknown): unknown {
  return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? `${item}n` : Object.is(item, NaN) ? 'NaN' : item));
}
