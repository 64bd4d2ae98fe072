import type { ToolArgs } from '@neuralis/package-system/pdk-guest';

export default (args: ToolArgs<'prompt_with_embedded_resource'>) => ({
  content: [
    { type: 'resource', resource: { uri: args.resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' } },
    { type: 'text', text: 'Please process the embedded resource above.' },
  ],
});
