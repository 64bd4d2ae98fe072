import type { PdkContext, ToolArgs } from '@neuralis/package-system/pdk-guest';
import { lend } from '../lib/books.ts';
import { answer, text } from '../lib/results.ts';
import type { State } from '../lifecycle.ts';

export default function (args: ToolArgs<'library_lend'>, ctx: PdkContext<State>) {
  const { books, history } = ctx.state;
  return answer(async () => {
    const now = new Date();
    // The rules run inside update, so two people cannot be given the same book at once.
    const book = await books.update(args.id, (old) => lend(old, args.id, args.to, args.days ?? 28, now));
    await history.append('history/events.jsonl', { what: 'lent', book: args.id, who: args.to, at: now.toISOString() });
    return text(`${book.title} is lent to ${args.to} until ${book.due}`, { book });
  });
}
