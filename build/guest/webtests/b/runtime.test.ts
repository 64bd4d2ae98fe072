import { equal, ok, rejects, same, suite, throws } from './check.ts';
import { machine, oneTool } from './machine.ts';

export const run = suite((test) => {
  test('a tool answers', async () => {
    const m = oneTool(async (args) => ({ got: args.x + 1 }));
    same(await m.tool('t', { x: 1 }), { got: 2 });
  });
});
