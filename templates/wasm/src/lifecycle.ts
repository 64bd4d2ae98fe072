import type { PackageInitContext } from '@neuralis/package-system';

export interface Note {
  name: string;
  text: string;
  /** How often a note was saved under this name. */
  revision: number;
}

/** What every tool and route finds at `ctx.state`. */
export type State = Awaited<ReturnType<typeof init>>;

/** Runs once in every instance of the sandbox, before its first call. */
export async function init(ctx: PackageInitContext) {
  return { notes: ctx.data.fileStore<Note>('notes') };
}
