import type { PdkContext } from '@neuralis/package-system/pdk-guest';
import { pause } from '../lib/pause.ts';

export default async function (_args: object, ctx: PdkContext) {
  await ctx.mcp?.log('info', 'Tool execution started');
  await pause(50);
  await ctx.mcp?.log('info', 'Tool processing data');
  await pause(50);
  await ctx.mcp?.log('info', 'Tool execution completed');
  return 'Three messages were logged.';
}
