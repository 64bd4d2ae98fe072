import type { PackageInitContext } from '@neuralis/package-system';
import type { Feedback } from './lib/feedback.ts';

export type State = Awaited<ReturnType<typeof init>>;

export async function init(ctx: PackageInitContext) {
  return { feedback: ctx.data.fileStore<Feedback>('feedback') };
}
