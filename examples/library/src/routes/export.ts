import type { PdkContext, RouteRequest } from '@neuralis/package-system/pdk-guest';
import { byTitle } from '../lib/books.ts';
import type { State } from '../lifecycle.ts';

// More specific than books/:id, so it wins.
export const pattern = 'books/export.csv';
export const feature = 'library.read';

export async function GET(_req: RouteRequest, ctx: PdkContext<State>) {
  const books = (await ctx.state.books.list()).sort(byTitle);
  const rows = books.map((book) => [book.id, book.title, book.author, book.lentTo ?? '', book.due ?? '']);
  const body = [['id', 'title', 'author', 'lent to', 'due'], ...rows].map((row) => row.map(cell).join(',') + '\r\n').join('');
  return { status: 200, headers: { 'content-type': 'text/csv; charset=utf-8' }, body };
}

/** A cell as RFC 4180 has it: quoted when it holds a comma, a quote or a line break. */
const cell = (value: string) => (/[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
