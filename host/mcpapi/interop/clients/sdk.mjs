// A client of the TypeScript SDK. It does what the lines of its input say, one at a time, each a JSON object
// { "do": "list" | "call" | "await" | "prompt" | "read", … }, and prints what came of each as a line of JSON.

import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

const client = new Client({ name: 'interop', version: '1.0.0' }, { capabilities: { sampling: {}, elicitation: {} } });

// Notifications that came, by method, and who waits for one.
const came = new Map();
const waiting = new Map();
const note = ({ method }) => {
  const wake = waiting.get(method);
  waiting.delete(method);
  if (wake) wake();
  else came.set(method, (came.get(method) ?? 0) + 1);
};
for (const schema of [
  LoggingMessageNotificationSchema,
  PromptListChangedNotificationSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
]) {
  client.setNotificationHandler(schema, note);
}
client.setRequestHandler(CreateMessageRequestSchema, async (request) => ({
  role: 'assistant',
  model: 'parrot',
  content: { type: 'text', text: request.params.messages[0].content.text.toUpperCase() },
}));
client.setRequestHandler(ElicitRequestSchema, async (request) => ({
  action: 'accept',
  content: { username: request.params.message, email: 'ada@example.com' },
}));

const steps = {
  async connect() {
    await client.connect(new StreamableHTTPClientTransport(new URL(process.argv[2])));
    return { server: client.getServerVersion().name, can: Object.keys(client.getServerCapabilities()).sort() };
  },
  async list() {
    const { tools } = await client.listTools();
    const { prompts } = await client.listPrompts();
    const { resources } = await client.listResources();
    return { tools: tools.map((t) => t.name), prompts: prompts.map((p) => p.name), resources: resources.map((r) => r.uri) };
  },
  async call({ tool, args }) {
    const progress = [];
    const result = await client.callTool({ name: tool, arguments: args }, undefined, { onprogress: (p) => progress.push(p.progress) });
    return { ...result, ...(progress.length > 0 ? { progress } : {}) };
  },
  prompt: ({ name, args }) => client.getPrompt({ name, arguments: args }),
  read: ({ uri }) => client.readResource({ uri }),
  subscribe: ({ uri }) => client.subscribeResource({ uri }),
  level: ({ level }) => client.setLoggingLevel(level),
  async await({ method }) {
    const n = came.get(method) ?? 0;
    if (n > 0) came.set(method, n - 1);
    else await new Promise((resolve) => waiting.set(method, resolve));
    return { method };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const step = JSON.parse(line);
  let answer;
  try {
    answer = { ok: (await steps[step.do](step)) ?? {} };
  } catch (error) {
    answer = { error: { code: error.code, message: error.message, data: error.data } };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await client.transport.terminateSession();
await client.close();
