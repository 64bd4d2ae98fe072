// Runs the first tool of a bundle in Node, in place of the engine: a native function that
// answers what it must, and the loop of an exported call.
//
//   node run.mjs bundle.js tool '{"arguments":…}'
import { randomBytes } from 'node:crypto';
import { pathToFileURL } from 'node:url';

const [file, tool, args] = process.argv.slice(2);
let registered, output, failure;
const buffer = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
globalThis.__neuralis_native = (op, a, b, c) => {
  switch (op) {
    case 0: return JSON.stringify({ tool, args: JSON.parse(args), session: {} });
    case 1: output = a; return;
    case 2: failure = a; return;
    case 3: return JSON.stringify({ error: { code: 'unsupported', message: 'no host here' } });
    case 4: process.stderr.write(`${b}\n`); return;
    case 11: return buffer(randomBytes(a));
    case 12: return performance.now();
    case 13: return buffer(new TextEncoder().encode(a));
    case 14: return new TextDecoder().decode(new Uint8Array(a, b, c));
    case 15: return 2;
    case 16: registered = { enter: a, turn: b }; return;
    case 17: return Date.now();
  }
};
// Names that only Node has must not leak into what the sandbox is said to offer.
const exit = process.exit.bind(process), write = process.stdout.write.bind(process.stdout);
await import(pathToFileURL(file));
registered.enter(0);
let state = 2;
while (state === 2) {
  await new Promise((resolve) => setImmediate(resolve));
  state = registered.turn();
}
write(`${state === 0 ? output : failure}\n`);
exit(state);
