// Code as authors write it. It must pass the type check; lines that say @ts-expect-error must not.

import type { Lifecycle, PackageInitContext } from '@neuralis/package-system';
import type { ContentBlock, FileStore, PdkContext, RouteHandler, RouteRequest, RouteResponse, ToolHandler, ToolResult } from '@neuralis/package-system/pdk-guest';
import { Config, Host, Http, Var } from '@neuralis/package-system/pdk-guest';
import { assertApiMirror, describe, expect, host, mock, test } from '@neuralis/package-system/testing';
import { Buffer as NodeBuffer } from 'node:buffer';

interface Note {
  id: string;
  text: string;
}

export async function init(ctx: PackageInitContext) {
  ctx.logger.info('ready', { package: ctx.package.id });
  // @ts-expect-error: init has no session
  ctx.session;
  return { notes: ctx.data.fileStore<Note>('notes'), log: ctx.data.jsonlAppender({ maxBytes: 1000 }) };
}
type State = Awaited<ReturnType<typeof init>>;
const lifecycle = { init, api: (state: State) => ({ count: async () => (await state.notes.list()).length }) };
lifecycle satisfies Lifecycle<State>;

export const tool = (async (args, ctx) => {
  const notes: FileStore<Note> = ctx.state.notes;
  const saved = await notes.update(args.id, (old) => ({ id: args.id, text: (old?.text ?? '') + args.text }));
  saved.text.length;
  const maybe = await notes.update(args.id, (old) => old ?? undefined);
  // @ts-expect-error: it may be null
  maybe.text;
  // @ts-expect-error: the function cannot be async
  await notes.update(args.id, async (old) => old!);
  // @ts-expect-error: no such property
  ctx.state.nots;
  if (ctx.mcp?.sample) (await ctx.mcp.sample({ messages: [], maxTokens: 5 })).content.type;
  await ctx.mcp?.progress(1, 2);
  ctx.signal.throwIfAborted();
  const other = ctx.getPackageApi<{ find(q: string): number[] }>('other', ctx.session);
  (await other.find('x')).length;
  const answer = await ctx.callRoute('GET', 'other/x', { query: { a: '1' } });
  const result: ToolResult = { content: [{ type: 'text', text: String(answer.status) }], structuredContent: { saved } };
  return result;
}) satisfies ToolHandler<{ id: string; text: string }, State>;

export const loose = (args: any, ctx: PdkContext) => ctx.state.anything.at.all;

export const GET: RouteHandler = async (req) => Response.json({ q: new URLSearchParams(req.query).get('q') }, { headers: { etag: '"1"' } });
export function POST(req: RouteRequest<{ a: number }>): RouteResponse {
  return { status: 201, headers: { 'set-cookie': ['a', 'b'] }, body: req.body.a + req.bodyBytes.length + req.rawBody.length };
}
// @ts-expect-error: there is no such block
export const block: ContentBlock = { type: 'video' };

export async function web() {
  const { port, searchParams } = new URL('/x', 'http://a');
  const key = await crypto.subtle.importKey('raw', new TextEncoder().encode('k'), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, new Uint8Array(1)));
  const copy = structuredClone({ when: new Date(), map: new Map([[1, 'a']]) });
  const response = await fetch('https://a', { method: 'POST', body: JSON.stringify(copy), signal: AbortSignal.timeout(1000) });
  for await (const chunk of response.body!) chunk.byteLength;
  const form = new FormData();
  form.set('f', new File([signature], 'f.bin'));
  for (const [name, value] of form) console.log(name, typeof value === 'string' ? value : value.size);
  const id: number = setTimeout((a: string) => a.length, 5, 'x');
  clearTimeout(id);
  queueMicrotask(() => {});
  new EventTarget().addEventListener('x', (event) => event.preventDefault(), { once: true });
  const match = new URLPattern({ pathname: '/:id' }).exec('https://a/1')?.pathname.groups['id'];
  Buffer.from('a').toString('base64') + NodeBuffer.from([1]).readUInt8(0);
  return [port, searchParams.size, match, atob('YQ=='), performance.now(), crypto.randomUUID(), self === globalThis];
}

export const plugin = [Config.get('a'), Var.getString('b'), Host.inputString(), Http.request({ url: 'https://a' }, 'body').status];

// What the sandbox does not have, the editor must not offer.
// @ts-expect-error
document;
// @ts-expect-error
window;
// @ts-expect-error
process;
// @ts-expect-error
require('fs');
// @ts-expect-error
import { readFile } from 'node:fs/promises';
// @ts-expect-error
new WebSocket('ws://a');
// @ts-expect-error
localStorage;

describe('notes', () => {
  test.each([['a', 1], ['b', 2]] as const)('%s', async (name, n) => {
    const result = await host.callTool('note_put', { name, n }, { as: 'owner' });
    expect(result.content[0].text).toBe('x');
    await expect(host.callRoute('GET', 'x')).resolves.toMatchObject({ status: 200 });
    await host.clock.freeze('2026-01-01T00:00:00Z');
    const f = mock.fn((a: number) => a + 1);
    expect(f).toHaveBeenCalledWith(expect.any(Number));
  });
});
assertApiMirror<{ a(): number; b(): void }, { a(): number }>();
// @ts-expect-error: the API has no c
assertApiMirror<{ a(): number }, { c(): number }>();
