// serve(): what the generated dispatcher calls. It checks what the author's modules export,
// while the package is being built, and then answers calls: tools, routes, lifecycle.

import { beginCall } from './ctx/host.ts';
import { handlerContext, initContext, type PackageInfo, type Session } from './ctx/context.ts';
import type { McpOffer } from './ctx/mcp.ts';
import { hasText, jsonParse, jsonStringify, keysOf, own } from './primordials.ts';
import { CallError } from './runtime/errors.ts';
import { run } from './runtime/loop.ts';
import { checkPackage, type PackageModules, type RouteEntry } from './runtime/modules.ts';
import { repairBigInt } from './runtime/repairs.ts';
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
(Error as { stackTraceLimit?: number }).stackTraceLimit = 32;

type Handler = (...args: unknown[]) => unknown;

const toolKind = 0, routeKind = 1;

/** Checks the package's modules and hands the entry points to the engine. Called once. */
export function serve(modules: PackageModules): void {
  const checked = checkPackage(modules);
  const self: PackageInfo = Object.freeze({ ...modules.package });
  const router = new Router(checked.routes);
  const initialise = initialiser(self, modules.lifecycle);
  let current = 'the call';

  async function callTool(request: { tool?: string; args?: unknown; session?: Session; mcp?: McpOffer }): Promise<string> {
    const name = String(request.tool);
    const handler = checked.tools[name];
    current = `the tool ${name}`;
    if (!handler) throw new CallError('unknown-tool', `this package has no tool ${jsonStringify(name)}; it has ${keysOf(checked.tools).join(', ') || 'none'}`);
    const state = await initialise();
    const context = handlerContext(self, request.session ?? {}, state, request.mcp);
    return resultText(await handler(request.args ?? {}, context), `the tool ${name}`);
  }

  async function callRoute(request: unknown): Promise<string> {
    const input = checkRouteInput(request);
    const { method, path } = input;
    current = `the route ${method} ${path}`;
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
    current = `the route ${method} ${route.pattern} (${route.source})`;
    const handler = (route.methods[method] ?? route.methods['GET']) as Handler;
    let given;
    try {
      given = routeRequest(input, params ?? {});
    } catch (error) {
      if (error instanceof MalformedBody) return plainResponse(400, 'malformed-body', error.message);
      throw error;
    }
    const state = await initialise();
    const session = (request as { session?: Session }).session ?? {};
    const answer = await handler(given, handlerContext(self, session, state, undefined));
    return responseText(answer, current, method !== 'HEAD');
  }

  async function callLifecycle(request: { hook?: string; args?: unknown[]; method?: string }): Promise<string> {
    const hook = String(request.hook);
    current = `the lifecycle hook ${hook}`;
    if (!hasText(hooks, hook)) throw new CallError('unknown-hook', `there is no lifecycle hook ${jsonStringify(hook)}; there are ${hooks.join(', ')}`);
    const args = request.args ?? [];
    const exported = (modules.lifecycle && own(modules.lifecycle, hook)) as Handler | undefined;
    if (hook === 'api') return callApi(exported, String(request.method), args);
    if (!exported) return 'null';
    const state = await initialise();
    return resultText(await exported(state, ...args), `${hook} in src/lifecycle.ts`);
  }

  async function callApi(exported: Handler | undefined, method: string, args: unknown[]): Promise<string> {
    const state = await initialise();
    const api = (await exported?.(state)) as Record<string, unknown> | undefined;
    const target = api && method !== 'constructor' && !Object.hasOwn(Object.prototype, method) ? api[method] : undefined;
    if (typeof target !== 'function') throw new CallError('unknown-hook', `the package ${self.id} has no API method ${jsonStringify(method)}`);
    current = `the API method ${method}`;
    return resultText(await target.apply(api, args), current);
  }

  run({
    renew() {
      forgetRandomPool();
      renewPerformance();
    },
    begin(kind, text, wake) {
      beginCall();
      const request = parseInput(text);
      if (kind > routeKind && request['hook'] === 'describe') return checked.description;
      wake();
      return kind === toolKind ? callTool(request) : kind === routeKind ? callRoute(request) : callLifecycle(request);
    },
    current: () => current,
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

/** Runs init at the first call of an instance, and again at the next one if it failed. */
function initialiser(self: PackageInfo, lifecycle: Record<string, unknown> | undefined): () => Promise<unknown> {
  let ready = lifecycle === undefined;
  let state: unknown;
  return async () => {
    if (ready) return state;
    // What init starts, such as an interval, belongs to the instance and not to this call.
    setLasting(true);
    try {
      state = await (lifecycle!['init'] as Handler)(initContext(self));
      ready = true;
      return state;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      throw new CallError('init-failed', `init in src/lifecycle.ts failed: ${message}`, error ?? new Error('init threw undefined'));
    } finally {
      setLasting(false);
    }
  };
}
