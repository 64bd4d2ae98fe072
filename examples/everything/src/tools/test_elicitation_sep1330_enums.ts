import type { PdkContext } from '@neuralis/package-system/pdk-guest';
import { ask, titled } from '../lib/ask.ts';

export default (_args: object, ctx: PdkContext) =>
  ask(ctx, 'Choose', {
    type: 'object',
    properties: {
      untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
      titledSingle: { type: 'string', oneOf: titled('value') },
      legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
      untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
      titledMulti: { type: 'array', items: { anyOf: titled('value') } },
    },
  });
