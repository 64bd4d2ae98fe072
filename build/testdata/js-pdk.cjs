// Stands in for the js-pdk of Extism in Node: it offers the globals that a plug-in made by
// extism-js finds, evaluates a bundle as that compiler does (lines of its own in front, in a
// global scope without Node's), and makes calls. Promise jobs of the engine run only after an
// exported function has returned, as there.
//
//   node js-pdk.cjs bundle.js < calls.json > outcomes.json
//
// A call is {export, input}; an outcome is {output, requests, logs} or {error, …}.
'use strict';
const fs = require('node:fs');
const vm = require('node:vm');

let input = '', output, requests = [], logs = [];
let building = true;
const memory = new Map();
let next = 8;
const outside = (what) => {
  if (building) throw new Error(`${what} was used while the plug-in was being built`);
};
const variables = new Map();
const handle = (offset) => ({ offset, len: memory.get(offset).length, readString: () => memory.get(offset) });
const log = (level) => (text) => {
  outside('console');
  logs.push(`${level} ${text}`);
};

const scope = {
  Host: {
    inputString: () => (outside('Host'), input),
    outputString: (text) => (outside('Host'), (output = text), true),
    getFunctions: () => ({
      neuralis_host(offset) {
        outside('the host function');
        const request = JSON.parse(memory.get(offset));
        requests.push(request);
        const answers = {
          'store.get': { ok: { from: 'store' } },
          'timer.sleep': { error: { code: 'unsupported', message: 'no timers here' } },
        };
        memory.set(++next, JSON.stringify(answers[request.op] ?? { error: { code: 'unsupported', message: `no ${request.op}` } }));
        return next;
      },
    }),
  },
  Memory: {
    fromString(text) {
      memory.set(++next, text);
      return handle(next);
    },
    find: handle,
  },
  Config: { get: (key) => (outside('Config'), key === 'greeting' ? 'hello' : null) },
  Var: {
    getBytes: (key) => (outside('Var'), variables.get(key) ?? null),
    set: (key, value) => (outside('Var'), variables.set(key, value)),
  },
  Http: {
    request(request, ...body) {
      outside('Http');
      requests.push({ ...request, body: body[0] });
      return { body: `{"path":"é"}`, status: 201, headers: { 'content-type': 'application/json' } };
    },
  },
  console: { debug: log('debug'), info: log('info'), log: log('log'), warn: log('warn'), error: log('error') },
  module: { exports: {} },
};
const context = vm.createContext(scope);
// The encoders of the context's own realm, as there.
scope.encodeText = (text) => new TextEncoder().encode(text);
scope.randomByte = () => require('node:crypto').randomInt(256);
scope.decodeText = (bytes) => new TextDecoder().decode(bytes);
vm.runInContext(
  `globalThis.TextEncoder = class { encode(text) { return new Uint8Array(encodeText(text)) } };
   globalThis.TextDecoder = class { decode(bytes) { return decodeText(bytes) } };
   globalThis.crypto = { getRandomValues: (view) => { for (let i = 0; i < view.length; i++) view[i] = randomByte(); return view } };`,
  context,
);
const code = `Host.__hostFunctions = [{ name: 'neuralis_host', results: 1 }];\n` + fs.readFileSync(process.argv[2], 'utf8');
const before = new Set(Object.getOwnPropertyNames(vm.runInContext('globalThis', context)));
vm.runInContext(code, context, { filename: 'script.js' });
building = false;

const names = Object.keys(scope.module.exports).sort();
const leaked = Object.getOwnPropertyNames(vm.runInContext('globalThis', context)).filter((name) => !before.has(name));
const outcomes = [{ exports: names, leaked }];
for (const call of JSON.parse(fs.readFileSync(0, 'utf8'))) {
  input = call.input;
  output = undefined;
  requests = [];
  logs = [];
  let outcome;
  try {
    const status = scope.module.exports[call.export]();
    outcome = status === 0 ? { output: JSON.parse(output) } : { error: `status ${status}` };
  } catch (error) {
    outcome = { error: `Exception: ${error.message}\n    at serve (script.js:1:1)` };
  }
  outcomes.push({ ...outcome, requests, logs });
}
process.stdout.write(JSON.stringify(outcomes));
