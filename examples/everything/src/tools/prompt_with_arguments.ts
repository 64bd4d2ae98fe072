import type { ToolArgs } from '@neuralis/package-system/pdk-guest';

export default (args: ToolArgs<'prompt_with_arguments'>) => `Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`;
