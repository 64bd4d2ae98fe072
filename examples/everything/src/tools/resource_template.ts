import type { ToolArgs } from '@neuralis/package-system/pdk-guest';

export default (args: ToolArgs<'resource_template'>) => JSON.stringify({ id: args.id, templateTest: true, data: `Data for ID: ${args.id}` });
