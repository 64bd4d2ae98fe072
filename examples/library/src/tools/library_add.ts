import type { PdkContext, ToolArgs } from '@neuralis/package-system/pdk-guest';
import { text } from '../lib/results.ts';
import type { State } from '../lifecycle.ts';

export default async function (args: ToolArgs<'library_add'>, ctx: PdkContext<State>) {
  const { books, history } = ctx.state;
  let known = false;
  await books.update(args.id, (old) => {
    known = old !== null;
    return { ...old, ...args };
  });
  if (!known) await history.append('history/events.jsonl', { what: 'added', book: args.id, at: new Date().toISOString() });
  ctx.logger.info(known ? 'corrected a book' : 'added a book', { id: args.id });
  return text(known ? `corrected ${args.id}` : `added ${args.id}`);
}
