import type { PdkContext, RouteRequest } from '@neuralis/package-system/pdk-guest';
import type { State } from '../lifecycle.ts';

export const pattern = 'books/:id';
export const feature = 'library.read';

export async function GET(req: RouteRequest, ctx: PdkContext<State>) {
  const book = await ctx.state.books.get(req.params.id);
  return book ? { status: 200, body: book } : { status: 404, body: { error: `no book ${req.params.id}` } };
}

export async function DELETE(req: RouteRequest, ctx: PdkContext<State>) {
  // The feature above guards the whole file; removing needs one more.
  if (!ctx.session.features?.includes('library.manage')) return { status: 403, body: { error: 'library.manage is needed' } };
  const { books, history } = ctx.state;
  const book = await books.get(req.params.id);
  if (!book) return { status: 404, body: { error: `no book ${req.params.id}` } };
  if (book.lentTo) return { status: 409, body: { error: `${book.title} is lent to ${book.lentTo}` } };
  await books.delete(book.id);
  await history.append('history/events.jsonl', { what: 'removed', book: book.id, at: new Date().toISOString() });
  return { status: 204 };
}
