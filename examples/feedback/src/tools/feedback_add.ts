import { nanoid } from 'nanoid';
import * as z from 'zod';
import type { PdkContext, ToolArgs } from '@neuralis/package-system/pdk-guest';
import { Message } from '../lib/feedback.ts';
import type { State } from '../lifecycle.ts';

export default async function (args: ToolArgs<'feedback_add'>, ctx: PdkContext<State>) {
  const parsed = Message.safeParse(args.message);
  if (!parsed.success) {
    return { isError: true, content: [{ type: 'text', text: z.prettifyError(parsed.error) }] };
  }
  const id = nanoid(12);
  const { sentAt = new Date().toISOString(), ...message } = parsed.data;
  await ctx.state.feedback.put(id, { id, sentAt, ...message });
  return { content: [{ type: 'text', text: `recorded ${id}` }], structuredContent: { id } };
}
