import type { ToolArgs } from '@neuralis/package-system/pdk-guest';

export default function (args: ToolArgs<'greet'>) {
  return { content: [{ type: 'text', text: `Hello, ${args.name}!` }] };
}
