import type { PdkContext } from '@neuralis/package-system/pdk-guest';
import { pause } from '../lib/pause.ts';

export default async function (_args: object, ctx: PdkContext) {
  for (const done of [0, 50, 100]) {
    if (done > 0) await pause(50);
    await ctx.mcp?.progress(done, 100, `${done} of 100`);
  }
  return 'All of it is done.';
}
