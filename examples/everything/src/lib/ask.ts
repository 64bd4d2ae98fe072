import type { PdkContext } from '@neuralis/package-system/pdk-guest';

/** Asks the person at the client, and says what they answered. */
export async function ask(ctx: PdkContext, message: string, requestedSchema: Record<string, unknown>): Promise<string> {
  if (!ctx.mcp?.elicit) throw new Error('The client cannot ask anybody.');
  const answer = await ctx.mcp.elicit({ message, requestedSchema });
  return `Elicitation completed: action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`;
}

/** Three choices with titles. */
export const titled = (prefix: string) =>
  ['First Choice', 'Second Choice', 'Third Choice'].map((title, i) => ({ const: `${prefix}${i + 1}`, title }));
