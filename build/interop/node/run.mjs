// Runs calls of a plug-in in the Extism SDK for JavaScript: the file named by the first argument holds
// { module, instances: [[{ export, input }]] }. Prints one JSON line: the outcomes in the same shape,
// { ok } or { error }. Each instance has a host of its own, which keeps data in memory.
import { readFile } from 'node:fs/promises';
import createPlugin from '@extism/extism';

function memoryHost() {
  const stores = new Map();
  const lines = new Map();
  const locks = new Map();
  let next = 0;
  const store = (name) => stores.get(name) ?? stores.set(name, new Map()).get(name);
  const operations = {
    'data.path': ({ rel }) => `memory:/${rel}`,
    'data.append': ({ path, value }) => void lines.set(path, [...(lines.get(path) ?? []), value]),
    'data.readNewest': ({ path, n }) => (lines.get(path) ?? []).toReversed().slice(0, n),
    'store.get': (r) => store(r.store).get(r.id) ?? null,
    'store.put': (r) => void store(r.store).set(r.id, r.value),
    'store.delete': (r) => store(r.store).delete(r.id),
    'store.exists': (r) => store(r.store).has(r.id),
    'store.list': (r) => [...store(r.store).keys()].sort().map((id) => store(r.store).get(id)),
    'store.begin': (r) => {
      locks.set(++next, r);
      return { lock: next, value: store(r.store).get(r.id) ?? null };
    },
    'store.commit': ({ lock, value }) => {
      const { store: name, id } = locks.get(lock);
      locks.delete(lock);
      store(name).set(id, value);
    },
    'store.abort': ({ lock }) => void locks.delete(lock),
    'credentials.resolve': () => null,
    log: () => null,
  };
  return (request) => {
    const operation = operations[request.op];
    if (!operation) return { error: { code: 'unsupported', message: `this host has no ${request.op}` } };
    return { ok: operation(request) ?? null };
  };
}

const job = JSON.parse(await readFile(process.argv[2], 'utf8'));
const module = await WebAssembly.compile(await readFile(job.module));
const outcomes = [];
for (const calls of job.instances) {
  const answer = memoryHost();
  const plugin = await createPlugin(module, {
    useWasi: true,
    functions: {
      'extism:host/user': {
        neuralis_host: (context, offset) => context.store(JSON.stringify(answer(JSON.parse(context.read(offset).text())))),
      },
    },
  });
  const results = [];
  for (const call of calls) {
    try {
      results.push({ ok: (await plugin.call(call.export, call.input)).text() });
    } catch (error) {
      results.push({ error: String(error?.message ?? error) });
    }
  }
  await plugin.close();
  outcomes.push(results);
}
process.stdout.write(JSON.stringify(outcomes) + '\n');
