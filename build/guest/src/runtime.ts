// serve(): what the generated dispatcher calls. It checks what the author's modules export,
// while the package is being built, and then answers calls: tools, routes, lifecycle.

import { beginCall } from './ctx/host.ts';
import { handlerContext, initContext, type PackageInfo, type Session } from './ctx/context.ts';
import type { McpOffer } from './ctx/mcp.ts';
import { hasText, jsonParse, jsonStringify, keysOf, own } from './primordials.ts';
import { CallError } from './runtime/errors.ts';
import { run, type Follow } from './runtime/loop.ts';
import { checkPackage, type PackageModules, type RouteEntry } from './runtime/modules.ts';
import { hideFunctions, repairBigInt } from './runtime/repairs.ts';
import { checkRouteInput, MalformedBody, routeRequest } from './runtime/request.ts';
import { plainResponse, responseText } from './runtime/response.ts';
import { resultText } from './runtime/result.ts';
import { allowed, Router } from './runtime/router.ts';
import { renewPerformance } from './web/performance.ts';
import { forgetRandomPool } from './web/random-pool.ts';
import { setLasting } from './web/timers.ts';

export type { PackageModules } from './runtime/modules.ts';

// Before any module of the author's is evaluated: this one comes first in the dispatcher.
repairBigInt();
hideFunctions();
(Error as { stackTraceLimit?: number }).stackTraceLimit = 32;

type Handler = (...args: unknown[]) => unknown;

interface ToolRequest {
  tool?: string;
  args?: unknown;
  session?: Session;
  mcp?: McpOffer;
}

const toolKind = 0, routeKind = 1;

const asIs = (text: string): string => text;

/** Checks the package's modules and hands the entry points to the engine. Called once. */
export function serve(modules: PackageModules): void {
  const checked = checkPackage(modules);
  const self: PackageInfo = Object.freeze({ ...modules.package });
  const router = new Router(checked.routes);
  const initial = new Initial(self, modules.lifecycle);
  // What the call in progress is, in two parts, since few calls have their names told.
  let what = 'the call', which = '';
  const current = () => what + which;

  const toolText = (value: unknown): string => resultText(value, current());

  // Not async: what most calls are must do without promises of its own.
  function callTool(request: ToolRequest, follow: Follow): void {
    const name = String(request.tool);
    const handler = checked.tools[name];
    what = 'the tool ';
    which = name;
    if (!handler) throw new CallError('unknown-tool', `this package has no tool ${jsonStringify(name)}; it has ${keysOf(checked.tools).join(', ') || 'none'}`);
    follow(initial.ready ? handler(request.args ?? {}, toolContext(request)) : runLater(handler, request), toolText);
  }

  const toolContext = (request: ToolRequest) => handlerContext(self, request.session ?? {}, initial.state, request.mcp);

  async function runLater(handler: Handler, request: ToolRequest): Promise<unknown> {
    await initial.run();
    return handler(request.args ?? {}, toolContext(request));
  }

  async function callRoute(request: unknown): Promise<string> {
    const input = checkRouteInput(request);
    const { method, path } = input;
    what = 'the route ';
    which = `${method} ${path}`;
    let route: RouteEntry | undefined;
    let params = input.params;
    if (input.pattern !== undefined && params) {
      route = checked.routes.find((r) => r.pattern === input.pattern);
      if (route && !allowed(route).includes(method)) return methodNotAllowed(method, path, allowed(route));
    } else {
      const match = router.match(method, path);
      if (match.kind === 'method') return methodNotAllowed(method, path, match.allow);
      if (match.kind === 'found') ({ route, params } = match);
    }
    if (!route) return plainResponse(404, 'unknown-route', `no route matches ${path}`);
    which = `${method} ${route.pattern} (${route.source})`;
    const who = current();
    const handler = (route.methods[method] ?? route.methods['GET']) as Handler;
    let given;
    try {
      given = routeRequest(input, params ?? {});
    } catch (error) {
      if (error instanceof MalformedBody) return plainResponse(400, 'malformed-body', error.message);
      throw error;
    }
    if (!initial.ready) await initial.run();
    const session = (request as { session?: Session }).session ?? {};
    const answer = await handler(given, handlerContext(self, session, initial.state, undefined));
    return responseText(answer, who, method !== 'HEAD');
  }

  async function callLifecycle(request: { hook?: string; args?: unknown[]; method?: string }): Promise<string> {
    const hook = String(request.hook);
    what = 'the lifecycle hook ';
    which = hook;
    if (!hasText(hooks, hook)) throw new CallError('unknown-hook', `there is no lifecycle hook ${jsonStringify(hook)}; there are ${hooks.join(', ')}`);
    const args = request.args ?? [];
    const exported = (modules.lifecycle && own(modules.lifecycle, hook)) as Handler | undefined;
    if (hook === 'api') return callApi(exported, String(request.method), args);
    if (!exported) return 'null';
    if (!initial.ready) await initial.run();
    return resultText(await exported(initial.state, ...args), `${hook} in src/lifecycle.ts`);
  }

  async function callApi(exported: Handler | undefined, method: string, args: unknown[]): Promise<string> {
    if (!initial.ready) await initial.run();
    const api = (await exported?.(initial.state)) as Record<string, unknown> | undefined;
    const target = api && method !== 'constructor' && !Object.hasOwn(Object.prototype, method) ? api[method] : undefined;
    if (typeof target !== 'function') throw new CallError('unknown-hook', `the package ${self.id} has no API method ${jsonStringify(method)}`);
    const who = `the API method ${method}`;
    what = who;
    which = '';
    return resultText(await target.apply(api, args), who);
  }

  run({
    renew() {
      forgetRandomPool();
      renewPerformance();
    },
    begin(kind, text, wake, follow) {
      beginCall();
      const request = parseInput(text);
      if (kind > routeKind && request['hook'] === 'describe') return checked.description;
      wake();
      if (kind === toolKind) callTool(request, follow);
      else follow(kind === routeKind ? callRoute(request) : callLifecycle(request), asIs);
      return undefined;
    },
    current,
  });
}

const hooks = ['start', 'stop', 'onBootstrapComplete', 'provisionProject', 'deprovisionProject', 'revokePrincipal', 'api'];

const methodNotAllowed = (method: string, path: string, allow: string[]): string =>
  plainResponse(405, 'method-not-allowed', `${path} does not answer ${method}, only ${allow.join(', ')}`, { allow: allow.join(', ') });

function parseInput(text: string): Record<string, unknown> {
  let request: unknown;
  try {
    request = jsonParse(text);
  } catch (error) {
    throw new CallError('invalid-request', `the host passed something that is not JSON: ${(error as Error).message}`);
  }
  if (typeof request !== 'object' || request === null || Array.isArray(request)) {
    throw new CallError('invalid-request', 'the host must pass a JSON object');
  }
  return request as Record<string, unknown>;
}

/** What init is for: it runs at the first call of an instance, and again at the next one if it failed. */
class Initial {
  ready: boolean;
  state: unknown;

  constructor(
    readonly self: PackageInfo,
    readonly lifecycle: Record<string, unknown> | undefined,
  ) {
    this.ready = lifecycle === undefined;
  }

  async run(): Promise<void> {
    // What init starts, such as an interval, belongs to the instance and not to this call.
    setLasting(true);
    try {
      this.state = await (this.lifecycle!['init'] as Handler)(initContext(this.self));
      this.ready = true;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new CallError('init-failed', `init in src/lifecycle.ts failed: ${message}`, error ?? new Error('init threw undefined'));
    } finally {
      setLasting(false);
    }
  }
}
