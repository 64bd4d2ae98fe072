import type { PdkContext, ToolArgs } from '@neuralis/package-system/pdk-guest';
import { ask } from '../lib/ask.ts';

export default (args: ToolArgs<'test_elicitation'>, ctx: PdkContext) =>
  ask(ctx, args.message, {
    type: 'object',
    properties: {
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    },
    required: ['username', 'email'],
  });
