// Each npm package authors reach for first, used for one thing whose answer is known.
import { addDays, format } from 'date-fns';
import { camelCase, chunk } from 'lodash-es';
import ms from 'ms';
import { customAlphabet, nanoid } from 'nanoid';
import { nanoid as nanoid3 } from 'nanoid3';
import { v4, v5, validate } from 'uuid';
import { v4 as v4of8 } from 'uuid8';
import { z } from 'zod';

const Order = z.object({ id: z.string().min(2), count: z.coerce.number().int() });

export default function libraries(args: unknown) {
  const order = Order.parse(args);
  const refused = Order.safeParse({ id: 'x', count: 1.5 });
  return {
    order,
    issues: refused.success ? [] : refused.error.issues.map((issue) => issue.path.join('.')),
    date: format(addDays(new Date(2024, 1, 28), 2), 'yyyy-MM-dd'),
    chunks: chunk([1, 2, 3], 2),
    name: camelCase('desk lamp'),
    ms: ms('2 days'),
    nanoid: [nanoid().length, customAlphabet('ab', 5)().length, nanoid3().length],
    uuid: [validate(v4()), v5('lamp', v5.URL), v4of8().length],
    env: process.env.NODE_ENV,
  };
}
