import type { PackageInitContext } from '@neuralis/package-system';

export interface Part {
  id: string;
  label: string;
  changes: number;
}

export async function init(ctx: PackageInitContext) {
  return { parts: ctx.data.fileStore<Part>('parts') };
}
