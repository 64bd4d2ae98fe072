// The rules of the library, without the sandbox: plain functions that are easy to test.

export interface Book {
  id: string;
  title: string;
  author: string;
  /** Who has the book; absent when it stands on the shelf. */
  lentTo?: string;
  /** The day it is due, as YYYY-MM-DD. */
  due?: string;
}

export interface HistoryEntry {
  what: 'added' | 'lent' | 'returned' | 'removed';
  book: string;
  who?: string;
  at: string;
}

/** A refusal that is an answer, not a fault: the caller asked for what the rules forbid. */
export class Refusal extends Error {}

export function lend(book: Book | null, id: string, to: string, days: number, today: Date): Book {
  if (!book) throw new Refusal(`there is no book ${id}`);
  if (book.lentTo && book.lentTo !== to) throw new Refusal(`${book.title} is lent to ${book.lentTo} until ${book.due}`);
  return { ...book, lentTo: to, due: dayAfter(today, days) };
}

export function takeBack(book: Book | null, id: string): Book {
  if (!book) throw new Refusal(`there is no book ${id}`);
  if (!book.lentTo) throw new Refusal(`${book.title} is not lent`);
  const { lentTo: _, due: __, ...rest } = book;
  return rest;
}

export function matches(book: Book, query: string): boolean {
  const word = query.toLowerCase();
  return book.title.toLowerCase().includes(word) || book.author.toLowerCase().includes(word);
}

export function byTitle(a: Book, b: Book): number {
  return a.title < b.title ? -1 : a.title > b.title ? 1 : 0;
}

export function line(book: Book): string {
  const where = book.lentTo ? `lent to ${book.lentTo} until ${book.due}` : 'available';
  return `${book.id}: ${book.title} by ${book.author} (${where})`;
}

/** The day some days later, in UTC, as YYYY-MM-DD. */
export function dayAfter(day: Date, days: number): string {
  return new Date(day.getTime() + days * 86_400_000).toISOString().slice(0, 10);
}
