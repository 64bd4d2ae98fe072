// What the author's modules must export, checked while the package is being built, so that
// a mistake is an error of the build that names the file, not of the first call.

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

export interface Checked {
  tools: Map<string, (args: unknown, ctx: unknown) => unknown>;
  routes: RouteEntry[];
  description: Description;
}

const lifecycleNames = ['init', 'api', 'start', 'stop', 'onBootstrapComplete', 'provisionProject', 'deprovisionProject', 'revokePrincipal'];

/** Checks every module. Throws an Error whose message begins with the source file. */
export function checkPackage(modules: PackageModules): Checked {
  const tools: Checked['tools'] = new Map();
  for (const name of Object.keys(modules.tools).sort()) {
    const handler = modules.tools[name]!['default'];
    if (typeof handler !== 'function') throw shape(`src/tools/${name}.ts`, 'the default export', 'a function (args, ctx) => result', handler);
    tools.set(name, handler as (args: unknown, ctx: unknown) => unknown);
  }
  const routes = modules.routes.map(({ source, module }) => checkRoute(source, module));
  const lifecycle = checkLifecycle(modules.lifecycle);
  return {
    tools,
    routes,
    description: {
      tools: [...tools.keys()],
      routes: routes.map(({ pattern, feature, methods, source }) => ({ pattern, feature, methods: Object.keys(methods), source })),
      lifecycle,
    },
  };
}

function checkRoute(source: string, module: Namespace): RouteEntry {
  const { pattern, feature } = module;
  if (typeof pattern !== 'string') throw shape(source, 'the export "pattern"', "a string such as 'items/:id'", pattern);
  if (feature !== undefined && typeof feature !== 'string') throw shape(source, 'the export "feature"', "a string such as 'items.read'", feature);
  try {
    parsePattern(pattern);
  } catch (error) {
    throw new Error(`${source}: ${(error as Error).message}`);
  }
  const methods: Record<string, unknown> = {};
  for (const name of methodNames) {
    if (module[name] === undefined) continue;
    if (typeof module[name] !== 'function') throw shape(source, `the export "${name}"`, 'a function (req, ctx) => response', module[name]);
    methods[name] = module[name];
  }
  if (Object.keys(methods).length === 0) {
    throw new Error(`${source}: a route exports at least one of ${methodNames.join(', ')}; this one exports none`);
  }
  return { source, pattern, feature: feature ?? '', methods };
}

function checkLifecycle(module: Namespace | undefined): string[] {
  if (!module) return [];
  const source = 'src/lifecycle.ts';
  if (module['init'] === undefined) throw shape(source, 'the export "init"', 'a function (ctx) => state', undefined);
  return lifecycleNames.filter((name) => {
    const value = module[name];
    if (value !== undefined && typeof value !== 'function') throw shape(source, `the export "${name}"`, 'a function', value);
    return value !== undefined;
  });
}

function shape(source: string, what: string, wanted: string, got: unknown): Error {
  return new Error(`${source}: ${what} must be ${wanted}; ${got === undefined ? 'it is missing' : `it is ${got === null ? 'null' : `of type ${typeof got}`}`}`);
}
