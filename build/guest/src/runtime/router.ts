// Which route answers a request. Patterns are literals, :param and a final *rest. Where
// several match, the one that is more literal at the first place they differ wins:
// a literal before a :param, a :param before a *rest. Only then the method is looked at.
// These are the rules of Go's manifest.Router, which the host asks first; this router is for hosts
// that do not know routes.

/** The methods a route file can export handlers for, in the order of lists of them. */
export const methodNames = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** One route as the router knows it. */
export interface Route {
  pattern: string;
  methods: Record<string, unknown>;
  source: string;
}

export type Match<R> =
  | { kind: 'found'; route: R; params: Record<string, string> }
  | { kind: 'method'; allow: string[] }
  | { kind: 'none' };

interface Node<R> {
  literals: Map<string, Node<R>>;
  param?: Node<R>;
  rest?: R;
  route?: R;
}

const empty = <R>(): Node<R> => ({ literals: new Map() });

/** The segments of a pattern, or an error that says what is wrong with it. */
export function parsePattern(pattern: string): string[] {
  const segments = pattern === '' ? [] : pattern.split('/');
  const names = new Set<string>();
  segments.forEach((segment, i) => {
    if (segment === '') throw new Error(`the pattern ${JSON.stringify(pattern)} has an empty segment; write it without a leading, trailing or double slash`);
    if (segment[0] !== ':' && segment[0] !== '*') return;
    const name = segment.slice(1);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new Error(`the pattern ${JSON.stringify(pattern)} has a parameter without a valid name: ${JSON.stringify(segment)}`);
    if (names.has(name)) throw new Error(`the pattern ${JSON.stringify(pattern)} names the parameter ${JSON.stringify(name)} twice`);
    names.add(name);
    if (segment[0] === '*' && i < segments.length - 1) throw new Error(`in the pattern ${JSON.stringify(pattern)}, ${segment} must come last`);
  });
  return segments;
}

export class Router<R extends Route> {
  #root: Node<R> = empty();

  constructor(routes: R[]) {
    for (const route of routes) this.#add(route);
  }

  #add(route: R): void {
    let node = this.#root;
    for (const segment of parsePattern(route.pattern)) {
      if (segment[0] === '*') {
        this.#claim(node.rest, route);
        node.rest = route;
        return;
      }
      if (segment[0] === ':') node = node.param ??= empty();
      else {
        let next = node.literals.get(segment);
        if (!next) node.literals.set(segment, (next = empty()));
        node = next;
      }
    }
    this.#claim(node.route, route);
    node.route = route;
  }

  #claim(holder: R | undefined, route: R): void {
    if (holder) throw new Error(`${route.source}: the pattern ${JSON.stringify(route.pattern)} matches the same paths as ${JSON.stringify(holder.pattern)} in ${holder.source}`);
  }

  /** Finds the route for a method and an escaped path without a leading slash. */
  match(method: string, path: string): Match<R> {
    const segments = splitPath(path);
    const route = segments && find(this.#root, segments, 0);
    if (!route) return { kind: 'none' };
    const allow = allowed(route);
    if (!allow.includes(method)) return { kind: 'method', allow };
    return { kind: 'found', route, params: bind(route.pattern, segments) };
  }
}

/**
 * The decoded segments of a path, or undefined for one that nothing matches: with an empty
 * segment, with an escape that is no UTF-8, with a NUL, or with a part "." or ".." even after
 * decoding, since handlers may use values as paths.
 */
function splitPath(path: string): string[] | undefined {
  if (path === '') return [];
  const segments: string[] = [];
  for (const part of path.split('/')) {
    try {
      segments.push(decodeURIComponent(part));
    } catch {
      return undefined;
    }
    const segment = segments.at(-1)!;
    if (segment === '' || segment.includes('\0') || segment.split(/[/\\]/).some((step) => step === '.' || step === '..')) return undefined;
  }
  return segments;
}

function find<R>(node: Node<R>, segments: string[], at: number): R | undefined {
  if (at === segments.length) return node.route;
  const segment = segments[at]!;
  const literal = node.literals.get(segment);
  return (
    (literal && find(literal, segments, at + 1)) ??
    (node.param && find(node.param, segments, at + 1)) ??
    node.rest
  );
}

/** The methods a route answers; HEAD comes with GET. */
export function allowed(route: Route): string[] {
  return methodNames.filter((name) => Object.hasOwn(route.methods, name) || (name === 'HEAD' && Object.hasOwn(route.methods, 'GET')));
}

function bind(pattern: string, segments: string[]): Record<string, string> {
  const params: Record<string, string> = {};
  pattern.split('/').forEach((part, i) => {
    if (part[0] !== ':' && part[0] !== '*') return;
    const value = part[0] === ':' ? segments[i]! : segments.slice(i).join('/');
    // Defined, not assigned: a parameter may be called __proto__.
    Object.defineProperty(params, part.slice(1), { value, writable: true, enumerable: true, configurable: true });
  });
  return params;
}
