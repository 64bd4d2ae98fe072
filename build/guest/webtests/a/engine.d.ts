// What the engine has of ECMAScript 2026 that TypeScript's libraries do not know yet.

interface Uint8Array {
  toBase64(options?: { alphabet?: 'base64' | 'base64url'; omitPadding?: boolean }): string;
  toHex(): string;
}

interface Uint8ArrayConstructor {
  fromBase64(text: string): Uint8Array<ArrayBuffer>;
  fromHex(text: string): Uint8Array<ArrayBuffer>;
}

declare module 'testdata:*' {
  const data: any;
  export default data;
}
