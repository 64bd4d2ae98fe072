import type { PdkContext, ToolArgs } from '@neuralis/package-system/pdk-guest';
import { takeBack } from '../lib/books.ts';
import { answer, text } from '../lib/results.ts';
import type { State } from '../lifecycle.ts';

export default function (args: ToolArgs<'library_return'>, ctx: PdkContext<State>) {
  const { books, history } = ctx.state;
  return answer(async () => {
    const book = await books.update(args.id, (old) => takeBack(old, args.id));
    await history.append('history/events.jsonl', { what: 'returned', book: args.id, at: new Date().toISOString() });
    return text(`${book.title} is back`, { book });
  });
}
