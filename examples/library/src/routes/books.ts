import type { PdkContext, RouteRequest } from '@neuralis/package-system/pdk-guest';
import { byTitle, matches } from '../lib/books.ts';
import type { State } from '../lifecycle.ts';

export const pattern = 'books';
export const feature = 'library.read';

export async function GET(req: RouteRequest, ctx: PdkContext<State>) {
  const { books } = ctx.state;
  const found = (await books.list()).filter((book) => matches(book, req.query.q ?? '')).sort(byTitle);
  return { status: 200, body: { total: found.length, books: found } };
}
