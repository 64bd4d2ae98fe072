import { beforeEach, describe, expect, host, test } from '@neuralis/package-system/testing';

describe('routes', () => {
  beforeEach(async () => {
    await host.callTool('library_add', { id: 'dune', title: 'Dune', author: 'Frank Herbert' }, { as: 'owner' });
    await host.callTool('library_add', { id: 'emma', title: 'Emma, "a novel"', author: 'Jane Austen' }, { as: 'owner' });
  });

  test('the list can be searched', async () => {
    const answer = await host.callRoute('GET', 'books', { query: { q: 'austen' }, as: 'member' });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ total: 1, books: [{ id: 'emma' }] });
  });

  test('the export quotes cells that need it', async () => {
    const answer = await host.callRoute('GET', 'books/export.csv', { as: 'member' });
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(answer.body).toBe('id,title,author,lent to,due\r\ndune,Dune,Frank Herbert,,\r\nemma,"Emma, ""a novel""",Jane Austen,,\r\n');
  });

  test.each(['PUT', 'PATCH'])('%s is not allowed on a book', async (method) => {
    const answer = await host.callRoute(method, 'books/dune', { as: 'owner' });
    expect(answer.status).toBe(405);
  });

  test('members cannot remove a book', async () => {
    expect((await host.callRoute('DELETE', 'books/dune', { as: 'member' })).status).toBe(403);
  });

  test('a lent book cannot be removed', async () => {
    await host.callTool('library_lend', { id: 'dune', to: 'Ada' }, { as: 'owner' });
    expect((await host.callRoute('DELETE', 'books/dune', { as: 'owner' })).status).toBe(409);
    await host.callTool('library_return', { id: 'dune' }, { as: 'owner' });
    expect((await host.callRoute('DELETE', 'books/dune', { as: 'owner' })).status).toBe(204);
    expect((await host.callRoute('GET', 'books/dune', { as: 'owner' })).status).toBe(404);
  });
});
