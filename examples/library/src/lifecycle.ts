import type { PackageInitContext } from '@neuralis/package-system';
import type { Book, HistoryEntry } from './lib/books.ts';

/** What every handler finds at ctx.state. It is made once for each instance of the sandbox. */
export type State = Awaited<ReturnType<typeof init>>;

export async function init(ctx: PackageInitContext) {
  return {
    books: ctx.data.fileStore<Book>('books'),
    history: ctx.data.jsonlAppender({ maxBytes: 1_000_000, keep: 3 }),
  };
}

/** What other packages may ask this one: getPackageApi('library', ctx.session). */
export function api(state: State) {
  return {
    /** Who has the book; null when nobody has it, undefined when there is no such book. */
    async holder(id: string): Promise<string | null | undefined> {
      const book = await state.books.get(id);
      return book ? (book.lentTo ?? null) : undefined;
    },
    /** What happened last, newest first. */
    async recent(count: number): Promise<HistoryEntry[]> {
      return state.history.readNewest<HistoryEntry>('history/events.jsonl', count);
    },
  };
}
