import type { PdkContext, ToolArgs } from '@neuralis/package-system/pdk-guest';

export default async function (args: ToolArgs<'test_sampling'>, ctx: PdkContext) {
  if (!ctx.mcp?.sample) throw new Error('The client has no model that could be asked.');
  const answer = await ctx.mcp.sample({ messages: [{ role: 'user', content: { type: 'text', text: args.prompt } }], maxTokens: 100 });
  return `LLM response: ${answer.content.type === 'text' ? answer.content.text : `a block of the type ${answer.content.type}`}`;
}
