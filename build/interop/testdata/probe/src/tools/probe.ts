import type { PdkContext } from '@neuralis/package-system/pdk-guest';

const early = Math.random();
let calls = 0;

const deep = (n: number): number => (n === 0 ? 0 : 1 + deep(n - 1));

const things: Record<string, (value: any, ctx: PdkContext) => unknown> = {
  echo: (value) => value,
  double: (value: string) => value + value,
  length: (value: string) => [value.length, [...value].length, new TextEncoder().encode(value).length],
  nothing: () => undefined,
  calls: () => ++calls,
  thrown: () => {
    throw new RangeError('thrown é😀');
  },
  rejected: async () => {
    await null;
    throw Object.assign(new Error('rejected'), { code: 'E_CODE' });
  },
  noError: () => {
    throw { odd: true };
  },
  cycle: () => {
    const a: Record<string, unknown> = {};
    a.a = a;
    return a;
  },
  pending: () => new Promise(() => {}),
  promises: async () => {
    const order: string[] = [];
    queueMicrotask(() => order.push('microtask'));
    const timers = [0, 5, 20].map((ms) => new Promise<void>((resolve) => setTimeout(() => resolve(void order.push(`timer ${ms}`)), ms)));
    await Promise.all([...timers, Promise.resolve().then(() => order.push('then'))]);
    return order;
  },
  random: () => [early, Math.random(), crypto.randomUUID()],
  clock: () => [new Date().getFullYear() > 2023, performance.now() >= 0],
  recursion: () => deep(Infinity),
  depth: (value: number) => deep(value),
  frames: () => {
    const errors = Error as unknown as { prepareStackTrace: unknown };
    const before = errors.prepareStackTrace;
    errors.prepareStackTrace = (_: unknown, frames: unknown) => frames;
    const frames = new Error().stack as unknown as Record<string, () => unknown>[];
    errors.prepareStackTrace = before;
    const hidden = frames.every((f) => f.getFunction?.() === undefined && f.getThis?.() === undefined);
    return [frames.length > 1, hidden, typeof frames[0].getLineNumber(), /frames/.test(String(frames[0].getFunctionName())), /\d+:\d+/.test(new Error().stack!)];
  },
  digest: async (value: string) => [...new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(value)))],
  sorted: (value: string[]) => value.sort((a, b) => a.localeCompare(b)),
  numbers: () => [0.1 + 0.2, 1e21, -0, 2 ** 53, 5e-324, (123.456).toFixed(1), String(2n ** 70n)],
  async data(_value, ctx) {
    return ctx.credentials.resolveCredential('none').then((found) => found ?? null);
  },
};

export default function (args: { what: string; value?: unknown }, ctx: PdkContext) {
  return things[args.what](args.value, ctx);
}
