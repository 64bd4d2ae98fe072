import { compareDesc, formatDistance, parseISO, subDays } from 'date-fns';
import type { PdkContext, ToolArgs } from '@neuralis/package-system/pdk-guest';
import type { State } from '../lifecycle.ts';

export default async function (args: ToolArgs<'feedback_summary'>, ctx: PdkContext<State>) {
  const now = new Date();
  const since = subDays(now, args.days ?? 7);
  const recent = (await ctx.state.feedback.list())
    .map((entry) => ({ ...entry, at: parseISO(entry.sentAt) }))
    .filter((entry) => entry.at >= since)
    .sort((a, b) => compareDesc(a.at, b.at));
  if (recent.length === 0) return { content: [{ type: 'text', text: 'no feedback' }], structuredContent: { count: 0 } };

  const average = recent.reduce((sum, entry) => sum + entry.rating, 0) / recent.length;
  const lines = recent.slice(0, 5).map((entry) => `- ${formatDistance(entry.at, now, { addSuffix: true })}, ${entry.rating}/5: ${entry.text}`);
  return {
    content: [{ type: 'text', text: `${recent.length} messages, ${average.toFixed(1)} on average\n${lines.join('\n')}` }],
    structuredContent: { count: recent.length, average },
  };
}
