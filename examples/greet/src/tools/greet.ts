import type { GreetArgs } from '../../.neuralis/tools';

export default function (args: GreetArgs) {
  return { content: [{ type: 'text', text: `Hello, ${args.name}!` }] };
}
