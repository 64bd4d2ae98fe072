import { describe, expect, host, test } from '@neuralis/package-system/testing';

const add = (message: unknown) => host.callTool('feedback_add', { message });

describe('feedback', () => {
  test('is recorded under an id of its own', async () => {
    const first = await add({ text: 'Lovely', rating: 5 });
    const second = await add({ text: 'Lovely', rating: '5' });
    expect(first.structuredContent.id).toMatch(/^[\w-]{12}$/);
    expect(second.structuredContent.id).not.toBe(first.structuredContent.id);
  });

  test.each([
    ['an empty text', { text: ' ', rating: 3 }, 'say something'],
    ['a rating out of range', { text: 'x', rating: 6 }, 'rating'],
    ['a bad address', { text: 'x', rating: 3, email: 'nobody' }, 'email'],
  ])('with %s is refused', async (_name, message, reason) => {
    const result = await add(message);
    expect(result.isError).toBe(true);
    expect(result.content[0].text).toContain(reason);
  });

  test('is summarised, newest first', async () => {
    await host.clock.freeze('2026-03-10T12:00:00Z');
    await add({ text: 'old', rating: 1, sentAt: '2026-02-01T00:00:00Z' });
    await add({ text: 'good', rating: 4, sentAt: '2026-03-08T12:00:00Z' });
    await add({ text: 'great', rating: 5, sentAt: '2026-03-10T11:00:00Z' });
    const result = await host.callTool('feedback_summary', {});
    expect(result.structuredContent).toEqual({ count: 2, average: 4.5 });
    expect(result.content[0].text).toBe('2 messages, 4.5 on average\n- about 1 hour ago, 5/5: great\n- 2 days ago, 4/5: good');
  });
});
