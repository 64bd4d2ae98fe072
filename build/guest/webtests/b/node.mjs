// Runs one bundled test file in Node: puts a native function on globalThis, imports the
// bundle, and prints what failed. Exit status 1 says that something did.
//
// A test may leave objects for the native function at globalThis.fake: see fake.ts.

import { pathToFileURL } from 'node:url';
import { randomFillSync } from 'node:crypto';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const native = {
  2: () => {},
  4: () => {},
  11: (n) => randomFillSync(new Uint8Array(n)).buffer,
  12: () => performance.now(),
  13: (text) => encoder.encode(text).slice().buffer,
  14: (buffer, offset, length) => decoder.decode(new Uint8Array(buffer, offset, length)),
  15: () => 0,
  17: () => performance.timeOrigin + performance.now(),
};
globalThis.fake = { native };
globalThis.__neuralis_native = (op, ...args) => {
  const implementation = native[op];
  if (!implementation) throw new Error(`native operation ${op} is not available in this test`);
  return implementation(...args);
};

// Node 20 has no ArrayBuffer.prototype.transfer, which the engine has.
if (!ArrayBuffer.prototype.transfer) {
  const detached = new WeakSet();
  const { structuredClone } = globalThis;
  Object.defineProperties(ArrayBuffer.prototype, {
    transfer: {
      value(length = this.byteLength) {
        detached.add(this);
        return structuredClone(this, { transfer: [this] }).slice(0, length);
      },
    },
    detached: {
      get() {
        return detached.has(this);
      },
    },
  });
}

let passed = 0;
const failures = [];
const { run } = await import(pathToFileURL(process.argv[2]).href);
await run((name, error) => {
  if (error === undefined) passed++;
  else failures.push(`${name}: ${error?.stack ?? error}`);
});
for (const failure of failures) console.log(`FAIL ${failure}`);
console.log(`${passed} passed, ${failures.length} failed`);
process.exit(failures.length > 0 || passed === 0 ? 1 : 0);
