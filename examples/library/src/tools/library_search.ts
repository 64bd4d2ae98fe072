import type { PdkContext, ToolArgs } from '@neuralis/package-system/pdk-guest';
import { byTitle, line, matches } from '../lib/books.ts';
import { text } from '../lib/results.ts';
import type { State } from '../lifecycle.ts';

export default async function (args: ToolArgs<'library_search'>, ctx: PdkContext<State>) {
  const { books } = ctx.state;
  const found = (await books.list())
    .filter((book) => matches(book, args.query ?? ''))
    .filter((book) => !args.available || !book.lentTo)
    .sort(byTitle);
  const shown = found.slice(0, args.limit ?? 20);
  const rest = found.length > shown.length ? `\n… and ${found.length - shown.length} more` : '';
  return text(shown.map(line).join('\n') + rest || 'nothing found', { total: found.length, books: shown });
}
