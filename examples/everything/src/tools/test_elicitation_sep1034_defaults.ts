import type { PdkContext } from '@neuralis/package-system/pdk-guest';
import { ask } from '../lib/ask.ts';

export default (_args: object, ctx: PdkContext) =>
  ask(ctx, 'Is this right?', {
    type: 'object',
    properties: {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    },
  });
