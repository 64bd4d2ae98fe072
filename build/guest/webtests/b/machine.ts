// A host and a glue made of JavaScript, so that serve() can be driven without an engine. It
// does what the glue does: enter, let the promise jobs run, take turns.

import { serve, type PackageModules } from 'neuralis:runtime';

type Answer = { ok?: any; error?: { code: string; message: string }; cancelled?: string };

export interface Machine {
  tool(name: string, args?: unknown, more?: object): Promise<any>;
  route(method: string, path: string, more?: object): Promise<any>;
  hook(hook: string, more?: object): Promise<any>;
  /** The host port; tests set the operations they need. */
  host: Record<string, (request: any) => Answer>;
  requests: any[];
  logs: [number, string][];
  /** The clock in milliseconds; timer.sleep moves it. */
  now: number;
}

/** Puts a package on a machine of its own. */
export function machine(modules: Partial<PackageModules>): Machine {
  const native = (globalThis as any).fake.native;
  let entry: { enter: (kind: number) => void; turn: () => number; rejection: (p: unknown, r: unknown, h: boolean) => void };
  let input = '', result: { output?: string; error?: string } = {};
  const m: Machine = {
    tool: (tool, args = {}, more = {}) => call(0, { tool, args, session: {}, ...more }),
    route: (method, path, more = {}) => call(1, { method, path, headers: {}, query: {}, session: {}, ...more }),
    hook: (hook, more = {}) => call(2, { hook, args: [], ...more }),
    host: {
      'timer.sleep': ({ ms }) => {
        m.now += ms;
        return { ok: null };
      },
    },
    requests: [],
    logs: [],
    now: 1000,
  };
  function attach(): void {
    native[0] = () => input;
    native[1] = (text: string) => (result = { output: text });
    native[2] = (text: string) => (result = { error: text });
    native[3] = (text: string) => {
      const request = JSON.parse(text);
      m.requests.push(request);
      const answer = m.host[request.op]?.(request) ?? { error: { code: 'unsupported', message: `no ${request.op} here` } };
      return JSON.stringify(answer);
    };
    native[4] = (level: number, text: string) => m.logs.push([level, text]);
    native[12] = () => m.now;
    native[16] = (enter: any, turn: any, rejection: any) => (entry = { enter, turn, rejection });
  }
  async function call(kind: number, request: unknown): Promise<any> {
    attach();
    input = typeof request === 'string' ? request : JSON.stringify(request);
    result = {};
    entry.enter(kind);
    for (;;) {
      await jobs();
      const turn = entry.turn();
      if (turn === 2) continue;
      if (turn === 0) return JSON.parse(result.output!);
      const error = JSON.parse(result.error!);
      throw Object.assign(new Error(error.message), error);
    }
  }
  attach();
  serve({ package: { id: 'demo', version: '1.0.0' }, tools: {}, routes: [], ...modules });
  return Object.assign(m, { rejection: entry!.rejection });
}

/** Lets every promise job run: more of them than any test chains. */
async function jobs(): Promise<void> {
  for (let i = 0; i < 200; i++) await undefined;
}

/** A package of one tool. */
export const oneTool = (handler: (args: any, ctx: any) => unknown, more: Partial<PackageModules> = {}): Machine =>
  machine({ tools: { t: { default: handler } }, ...more });

/** What a function writes to the log, as pairs of level and text. */
export async function capture(body: () => unknown): Promise<[number, string][]> {
  const native = (globalThis as any).fake.native;
  const old = native[4];
  const lines: [number, string][] = [];
  native[4] = (level: number, text: string) => void lines.push([level, text]);
  try {
    await body();
  } finally {
    native[4] = old;
  }
  return lines;
}
