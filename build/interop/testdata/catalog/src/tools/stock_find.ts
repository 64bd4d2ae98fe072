import type { PdkContext } from '@neuralis/package-system/pdk-guest';
import type { Part } from '../lifecycle.ts';

export default async function (args: { word?: string }, ctx: PdkContext) {
  const all: Part[] = await ctx.state.parts.list();
  const items = all.filter((part) => part.label.toLowerCase().includes((args.word ?? '').toLowerCase()));
  return { content: [{ type: 'text', text: items.map((part) => part.label).join(', ') || 'nothing' }], structuredContent: { count: items.length, items } };
}
