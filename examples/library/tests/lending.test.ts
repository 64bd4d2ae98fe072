import { beforeEach, describe, expect, host, test } from '@neuralis/package-system/testing';

describe('lending', () => {
  beforeEach(async () => {
    await host.clock.freeze('2026-03-01T12:00:00Z');
    await host.callTool('library_add', { id: 'dune', title: 'Dune', author: 'Frank Herbert' }, { as: 'owner' });
  });

  test('a book is lent for 28 days', async () => {
    const result = await host.callTool('library_lend', { id: 'dune', to: 'Ada' }, { as: 'member' });
    expect(result.content[0].text).toBe('Dune is lent to Ada until 2026-03-29');
  });

  test('a lent book is refused to another person', async () => {
    await host.callTool('library_lend', { id: 'dune', to: 'Ada' }, { as: 'member' });
    const result = await host.callTool('library_lend', { id: 'dune', to: 'Bob' }, { as: 'member' });
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain('lent to Ada until');
  });

  test('a returned book can be lent again', async () => {
    await host.callTool('library_lend', { id: 'dune', to: 'Ada' }, { as: 'member' });
    await host.callTool('library_return', { id: 'dune' }, { as: 'member' });
    const result = await host.callTool('library_lend', { id: 'dune', to: 'Bob' }, { as: 'member' });
    expect(result.isError).toBeFalsy();
  });

  test('members cannot add books', async () => {
    const result = await host.callTool('library_add', { id: 'emma', title: 'Emma', author: 'Jane Austen' }, { as: 'member' });
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'feature-required' } } });
  });
});
