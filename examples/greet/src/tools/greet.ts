export default function (args: { name: string }) {
  return { content: [{ type: 'text', text: `Hello, ${args.name}!` }] };
}
