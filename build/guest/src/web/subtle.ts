// crypto.subtle: digest, and keys for HMAC. Web Cryptography API, sections 14, 29 and 30.
// Everything else the API names is refused with NotSupportedError.

import { randomBytes } from '../native.ts';
import { fromBase64, toBase64 } from './base64-codec.ts';
import { cloneHook } from './clone-hook.ts';
import { DOMException } from './domexception.ts';
import { copyOf } from './encoding-bytes.ts';
import { finishInterface } from './interface.ts';
import { blockSize, sha, type Hash } from './sha.ts';

type Data = ArrayBuffer | ArrayBufferView;
type Algorithm = string | { name: string; hash?: Algorithm; length?: number };
interface HmacAlgorithm {
  name: 'HMAC';
  hash: { name: Hash };
  length: number;
}

const refuse = (message: string, name: string): never => {
  throw new DOMException(message, name);
};

function nameOf(algorithm: unknown): string {
  const name = typeof algorithm === 'string' ? algorithm : (algorithm as { name?: unknown } | null)?.name;
  if (name === undefined) throw new TypeError('crypto.subtle: the algorithm needs a name');
  return String(name).toUpperCase();
}

function hashOf(algorithm: unknown): Hash {
  const name = nameOf(algorithm);
  return Object.hasOwn(blockSize, name) ? (name as Hash) : refuse(`crypto.subtle: the hash ${name} is not one of ${Object.keys(blockSize).join(', ')}`, 'NotSupportedError');
}

function needHmac(algorithm: unknown, what: string): void {
  if (nameOf(algorithm) !== 'HMAC') refuse(`crypto.subtle.${what}: only HMAC is available in the sandbox, not ${nameOf(algorithm)}`, 'NotSupportedError');
}

const secrets = new WeakMap<object, Uint8Array<ArrayBuffer>>();
const making = Symbol();

class CryptoKeyClass {
  readonly #algorithm: HmacAlgorithm;
  readonly #extractable: boolean;
  readonly #usages: string[];

  constructor(secret: unknown, algorithm: HmacAlgorithm, extractable: boolean, usages: string[], bytes: Uint8Array<ArrayBuffer>) {
    if (secret !== making) throw new TypeError('Illegal constructor: use crypto.subtle.importKey or generateKey');
    this.#algorithm = algorithm;
    this.#extractable = extractable;
    this.#usages = usages;
    secrets.set(this, bytes);
  }

  get type(): 'secret' {
    return 'secret';
  }
  get extractable(): boolean {
    return this.#extractable;
  }
  get algorithm(): HmacAlgorithm {
    return this.#algorithm;
  }
  get usages(): string[] {
    return this.#usages;
  }
  [cloneHook](): CryptoKeyClass {
    return new CryptoKeyClass(making, this.#algorithm, this.#extractable, [...this.#usages], secrets.get(this)!);
  }
}

const CryptoKey = /* @__PURE__ */ finishInterface(CryptoKeyClass, 'CryptoKey');

function makeKey(bytes: Uint8Array<ArrayBuffer>, hash: Hash, extractable: unknown, usages: unknown): CryptoKeyClass {
  const list = [...new Set(usages as string[])];
  const wrong = list.find((usage) => usage !== 'sign' && usage !== 'verify');
  if (wrong !== undefined) refuse(`crypto.subtle: an HMAC key cannot be used to ${wrong}`, 'SyntaxError');
  if (list.length === 0) refuse('crypto.subtle: an HMAC key needs a usage, sign or verify', 'SyntaxError');
  if (bytes.length === 0) refuse('crypto.subtle: an HMAC key cannot be empty', 'DataError');
  return new CryptoKey(making, { name: 'HMAC', hash: { name: hash }, length: bytes.length * 8 }, !!extractable, list, bytes);
}

function useKey(algorithm: unknown, key: CryptoKeyClass, usage: string): Uint8Array<ArrayBuffer> {
  needHmac(algorithm, usage);
  const bytes = secrets.get(key);
  if (!bytes) throw new TypeError(`crypto.subtle.${usage}: the key must be a CryptoKey`);
  if (!key.usages.includes(usage)) refuse(`crypto.subtle.${usage}: the key was not imported for that`, 'InvalidAccessError');
  return bytes;
}

/** RFC 2104. */
function hmac(hash: Hash, key: Uint8Array, data: Uint8Array): Uint8Array<ArrayBuffer> {
  const block = blockSize[hash];
  const short = key.length > block ? sha(hash, key) : key;
  const wrap = (byte: number, rest: Uint8Array) => {
    const message = new Uint8Array(block + rest.length).fill(byte, 0, block);
    for (let i = 0; i < short.length; i++) message[i]! ^= short[i]!;
    message.set(rest, block);
    return sha(hash, message);
  };
  return wrap(0x5c, wrap(0x36, data));
}

interface Jwk {
  kty?: string;
  k?: string;
  alg?: string;
  ext?: boolean;
  key_ops?: string[];
}

function jwkBytes(jwk: Jwk, hash: Hash): Uint8Array<ArrayBuffer> {
  if (typeof jwk !== 'object' || jwk === null) throw new TypeError('crypto.subtle.importKey: a jwk must be an object');
  if (jwk.kty !== 'oct' || typeof jwk.k !== 'string') refuse('crypto.subtle.importKey: the jwk must have kty "oct" and k', 'DataError');
  if (jwk.alg !== undefined && jwk.alg !== jwkName(hash)) refuse(`crypto.subtle.importKey: the jwk is for ${jwk.alg}, not ${jwkName(hash)}`, 'DataError');
  const text = jwk.k!.replaceAll('-', '+').replaceAll('_', '/');
  return fromBase64(text.padEnd(Math.ceil(text.length / 4) * 4, '='));
}

const jwkName = (hash: Hash): string => `HS${hash.slice(4)}`;

const unavailable = (name: string) => async (): Promise<never> => refuse(`crypto.subtle.${name} is not available in the sandbox; digest and HMAC are`, 'NotSupportedError');

export const subtle = {
  async digest(algorithm: Algorithm, data: Data): Promise<ArrayBuffer> {
    return sha(hashOf(algorithm), copyOf(data, 'crypto.subtle.digest: the data')).buffer;
  },

  async importKey(format: string, keyData: Data | Jwk, algorithm: Algorithm, extractable: boolean, usages: string[]): Promise<CryptoKeyClass> {
    needHmac(algorithm, 'importKey');
    const hash = hashOf((algorithm as { hash?: unknown }).hash);
    if (format !== 'raw' && format !== 'jwk') refuse(`crypto.subtle.importKey: the format ${format} is not raw or jwk`, 'NotSupportedError');
    const bytes = format === 'raw' ? copyOf(keyData, 'crypto.subtle.importKey: the key') : jwkBytes(keyData as Jwk, hash);
    return makeKey(bytes, hash, extractable, usages);
  },

  async generateKey(algorithm: Algorithm, extractable: boolean, usages: string[]): Promise<CryptoKeyClass> {
    needHmac(algorithm, 'generateKey');
    const { hash: wanted, length } = algorithm as { hash?: unknown; length?: number };
    const hash = hashOf(wanted);
    const size = length === undefined ? blockSize[hash] : Math.ceil(length / 8);
    if (!(size > 0 && size <= 65536)) refuse('crypto.subtle.generateKey: the length cannot be that', 'OperationError');
    return makeKey(new Uint8Array(randomBytes(size)), hash, extractable, usages);
  },

  async exportKey(format: string, key: CryptoKeyClass): Promise<ArrayBuffer | Jwk> {
    const bytes = secrets.get(key);
    if (!bytes) throw new TypeError('crypto.subtle.exportKey: the key must be a CryptoKey');
    if (!key.extractable) refuse('crypto.subtle.exportKey: the key is not extractable', 'InvalidAccessError');
    if (format === 'raw') return bytes.slice().buffer;
    if (format !== 'jwk') refuse(`crypto.subtle.exportKey: the format ${format} is not raw or jwk`, 'NotSupportedError');
    const k = toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    return { alg: jwkName(key.algorithm.hash.name), ext: true, k, key_ops: [...key.usages], kty: 'oct' };
  },

  async sign(algorithm: Algorithm, key: CryptoKeyClass, data: Data): Promise<ArrayBuffer> {
    const bytes = useKey(algorithm, key, 'sign');
    return hmac(key.algorithm.hash.name, bytes, copyOf(data, 'crypto.subtle.sign: the data')).buffer;
  },

  async verify(algorithm: Algorithm, key: CryptoKeyClass, signature: Data, data: Data): Promise<boolean> {
    const bytes = useKey(algorithm, key, 'verify');
    const want = hmac(key.algorithm.hash.name, bytes, copyOf(data, 'crypto.subtle.verify: the data'));
    const got = copyOf(signature, 'crypto.subtle.verify: the signature');
    // Every byte is looked at whatever the ones before were, so that time tells nothing.
    let difference = want.length ^ got.length;
    for (let i = 0; i < want.length; i++) difference |= want[i]! ^ (got[i] ?? 0);
    return difference === 0;
  },

  encrypt: unavailable('encrypt'),
  decrypt: unavailable('decrypt'),
  deriveBits: unavailable('deriveBits'),
  deriveKey: unavailable('deriveKey'),
  wrapKey: unavailable('wrapKey'),
  unwrapKey: unavailable('unwrapKey'),
};
