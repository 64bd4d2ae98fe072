// What the author's modules must export, checked while the package is being built, so that
// a mistake is an error of the build that names the file, not of the first call.

import { bareList, jsonStringify, keysOf, own, sortTexts } from '../primordials.ts';
import { methodNames, parsePattern, type Route } from './router.ts';

/** A module as the dispatcher imports it: import * as module. */
export type Namespace = Record<string, unknown>;

/** What the generated dispatcher passes to serve. */
export interface PackageModules {
  package: { id: string; version: string };
  tools: Record<string, Namespace>;
  routes: { source: string; module: Namespace }[];
  lifecycle?: Namespace | undefined;
  channels?: Record<string, Namespace>;
  events?: Record<string, Namespace>;
}

/** A route after the checks. */
export interface RouteEntry extends Route {
  feature: string;
}

/** What describe answers. */
export interface Description {
  tools: string[];
  routes: { pattern: string; feature: string; methods: string[]; source: string }[];
  lifecycle: string[];
}

type ToolHandler = (args: unknown, ctx: unknown) => unknown;

export interface Checked {
  /** By name; it inherits nothing. */
  tools: Record<string, ToolHandler>;
  routes: RouteEntry[];
  /** The JSON text of a Description. */
  description: string;
}

const lifecycleNames = ['init', 'api', 'start', 'stop', 'onBootstrapComplete', 'provisionProject', 'deprovisionProject', 'revokePrincipal'];

// By now the author's modules and npm's have run, and any of them may have replaced what the language has. So
// this file calls no method of a list, and what it makes inherits nothing: see primordials.ts.

/** Checks every module. Throws an Error whose message begins with the source file. */
export function checkPackage(modules: PackageModules): Checked {
  const tools: Checked['tools'] = { __proto__: null } as never;
  const description: Description = { __proto__: null, tools: bareList(), routes: bareList(), lifecycle: bareList() } as never;
  const names = sortTexts(keysOf(modules.tools));
  for (let i = 0; i < names.length; i++) {
    const name = names[i]!;
    const handler = own(modules.tools[name]!, 'default');
    if (typeof handler !== 'function') throw shape(`src/tools/${name}.ts`, 'the default export', 'a function (args, ctx) => result', handler);
    tools[name] = handler as ToolHandler;
    description.tools[i] = name;
  }
  const routes = bareList<RouteEntry>();
  for (let i = 0; i < modules.routes.length; i++) {
    const { source, module } = modules.routes[i]!;
    const route = (routes[i] = checkRoute(source, module));
    const methods = bareList<string>();
    const handled = keysOf(route.methods);
    for (let j = 0; j < handled.length; j++) methods[j] = handled[j]!;
    description.routes[i] = { __proto__: null, pattern: route.pattern, feature: route.feature, methods, source } as never;
  }
  checkLifecycle(modules.lifecycle, description.lifecycle);
  return { tools, routes: Array.from(routes), description: jsonStringify(description) };
}

function checkRoute(source: string, module: Namespace): RouteEntry {
  const pattern = own(module, 'pattern'), feature = own(module, 'feature');
  if (typeof pattern !== 'string') throw shape(source, 'the export "pattern"', "a string such as 'items/:id'", pattern);
  if (feature !== undefined && typeof feature !== 'string') throw shape(source, 'the export "feature"', "a string such as 'items.read'", feature);
  try {
    parsePattern(pattern);
  } catch (error) {
    throw new Error(`${source}: ${(error as Error).message}`);
  }
  const methods: Record<string, unknown> = { __proto__: null } as never;
  for (let i = 0; i < methodNames.length; i++) {
    const name = methodNames[i]!;
    const handler = own(module, name);
    if (handler === undefined) continue;
    if (typeof handler !== 'function') throw shape(source, `the export "${name}"`, 'a function (req, ctx) => response', handler);
    methods[name] = handler;
  }
  if (keysOf(methods).length === 0) {
    throw new Error(`${source}: a route exports at least one of ${methodNames.join(', ')}; this one exports none`);
  }
  return { source, pattern, feature: feature ?? '', methods };
}

/** Adds to found the hooks that a package has. */
function checkLifecycle(module: Namespace | undefined, found: string[]): void {
  if (!module) return;
  const source = 'src/lifecycle.ts';
  if (own(module, 'init') === undefined) throw shape(source, 'the export "init"', 'a function (ctx) => state', undefined);
  for (let i = 0; i < lifecycleNames.length; i++) {
    const name = lifecycleNames[i]!;
    const value = own(module, name);
    if (value !== undefined && typeof value !== 'function') throw shape(source, `the export "${name}"`, 'a function', value);
    if (value !== undefined) found[found.length] = name;
  }
}

function shape(source: string, what: string, wanted: string, got: unknown): Error {
  return new Error(`${source}: ${what} must be ${wanted}; ${got === undefined ? 'it is missing' : `it is ${got === null ? 'null' : `of type ${typeof got}`}`}`);
}
