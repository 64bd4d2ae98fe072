import type { PdkContext } from '@neuralis/package-system/pdk-guest';
import type { Part } from '../lifecycle.ts';

export default async function (args: { id: string; label: string }, ctx: PdkContext) {
  const part = await ctx.state.parts.update(args.id, (old: Part | null) => ({ ...args, changes: (old?.changes ?? 0) + 1 }));
  ctx.logger.info('set', { id: args.id });
  return { content: [{ type: 'text', text: `${part.id} changed ${part.changes} times` }] };
}
