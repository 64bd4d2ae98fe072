import { describe, expect, host, test } from '@neuralis/package-system/testing';

describe('greet', () => {
  test('greets the person by name', async () => {
    const result = await host.callTool('greet', { name: 'Ada' });
    expect(result.content).toEqual([{ type: 'text', text: 'Hello, Ada!' }]);
  });

  test('refuses a call without a name', async () => {
    const result = await host.callTool('greet', {});
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'invalid-arguments' } } });
  });
});
