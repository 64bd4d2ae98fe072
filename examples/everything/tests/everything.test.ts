import { describe, expect, host, test } from '@neuralis/package-system/testing';

describe('everything', () => {
  test('answers all kinds of content', async () => {
    const result = await host.callTool('test_multiple_content_types', {});
    expect(result.content.map((block: { type: string }) => block.type)).toEqual(['text', 'image', 'resource']);
  });

  test('fails where it says so', async () => {
    const result = await host.callTool('test_error_handling', {});
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'handler-error' } } });
  });

  test('asks nobody where nobody can be asked', async () => {
    const result = await host.callTool('test_sampling', { prompt: 'Hello?' });
    expect(result.isError).toBe(true);
  });
});
