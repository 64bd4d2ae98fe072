// URLPattern (URL Pattern Standard, section 1).

import { parseURL } from 'neuralis:web/url-parser';
import { defaultPort, serializePath } from 'neuralis:web/url-record';
import { compileComponent, type Component } from 'neuralis:web/urlpattern-component';
import { canonical, COMPONENTS, processInit, usv, type ComponentName, type Components, type URLPatternInit } from 'neuralis:web/urlpattern-init';
import { DEFAULT_OPTIONS, matchesSpecialScheme, parsePatternString } from 'neuralis:web/urlpattern-string';

export type { URLPatternInit };
export type URLPatternInput = string | URLPatternInit;

export interface URLPatternOptions {
  ignoreCase?: boolean;
}

export interface URLPatternComponentResult {
  input: string;
  groups: Record<string, string | undefined>;
}

export type URLPatternResult = Record<ComponentName, URLPatternComponentResult> & { inputs: URLPatternInput[] };

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

/** The members of a URLPatternInit, in the order WebIDL reads a dictionary. */
function readInit(value: object): URLPatternInit {
  const init: URLPatternInit = {};
  for (const name of ['baseURL', ...COMPONENTS].sort() as (keyof URLPatternInit)[]) {
    const member = (value as URLPatternInit)[name];
    if (member !== undefined) init[name] = usv(member);
  }
  return init;
}

function patternsOf(input: unknown, baseURL: string | undefined): Components {
  if (!isObject(input) && input !== undefined) {
    const text = usv(input);
    const init: URLPatternInit = parsePatternString(text);
    if (baseURL !== undefined) init.baseURL = baseURL;
    else if (init.protocol === undefined) throw new TypeError(`URLPattern: '${text}' has no protocol; give a base URL, or an object such as { pathname: '${text}' }`);
    return processInit(init, true, {});
  }
  if (baseURL !== undefined) throw new TypeError('URLPattern: a base URL goes with a string; an object has a member baseURL');
  return processInit(readInit(input ?? {}), true, {});
}

/** Matches URLs, component by component. */
export class URLPattern {
  readonly #components: Record<ComponentName, Component>;

  constructor(input: URLPatternInput, baseURL: string, options?: URLPatternOptions);
  constructor(input?: URLPatternInput, options?: URLPatternOptions);
  constructor(input?: URLPatternInput, baseOrOptions?: string | URLPatternOptions, last?: URLPatternOptions) {
    const overload = isObject(baseOrOptions) || baseOrOptions === undefined || baseOrOptions === null;
    const options = (overload && arguments.length < 3 ? (baseOrOptions as URLPatternOptions) : last) ?? {};
    const baseURL = overload ? undefined : usv(baseOrOptions);
    const patterns = patternsOf(input, baseURL);
    for (const name of COMPONENTS) patterns[name] ??= '*';
    const { protocol, hostname } = patterns as Record<ComponentName, string>;
    const port = defaultPort(protocol);
    if (port !== undefined && port !== null && patterns.port === String(port)) patterns.port = '';

    const compile = (name: ComponentName, encode: (text: string) => string, extra: object = {}): Component =>
      compileComponent(patterns[name]!, encode, { ...DEFAULT_OPTIONS, ...extra });
    const ignoreCase = { ignoreCase: Boolean(options.ignoreCase) };
    const ipv6 = /^(?:\[|\{\[|\\\[)/.test(hostname);
    const protocolComponent = compile('protocol', canonical.protocol);
    const special = matchesSpecialScheme(protocolComponent.regexp);
    this.#components = {
      protocol: protocolComponent,
      username: compile('username', canonical.username),
      password: compile('password', canonical.password),
      hostname: compile('hostname', ipv6 ? canonical.ipv6 : canonical.hostname, { delimiter: '.' }),
      port: compile('port', (text) => canonical.port(text)),
      pathname: special
        ? compile('pathname', canonical.pathname, { delimiter: '/', prefix: '/', ...ignoreCase })
        : compile('pathname', canonical.opaquePathname, ignoreCase),
      search: compile('search', canonical.search, ignoreCase),
      hash: compile('hash', canonical.hash, ignoreCase),
    };
  }

  /** Reports whether the URL matches. */
  test(input: URLPatternInput = {}, baseURL?: string): boolean {
    return this.#match(input, baseURL) !== null;
  }

  /** The groups of each component, or null when the URL does not match. */
  exec(input: URLPatternInput = {}, baseURL?: string): URLPatternResult | null {
    return this.#match(input, baseURL);
  }

  get protocol(): string {
    return this.#components.protocol.pattern;
  }

  get username(): string {
    return this.#components.username.pattern;
  }

  get password(): string {
    return this.#components.password.pattern;
  }

  get hostname(): string {
    return this.#components.hostname.pattern;
  }

  get port(): string {
    return this.#components.port.pattern;
  }

  get pathname(): string {
    return this.#components.pathname.pattern;
  }

  get search(): string {
    return this.#components.search.pattern;
  }

  get hash(): string {
    return this.#components.hash.pattern;
  }

  get hasRegExpGroups(): boolean {
    return COMPONENTS.some((name) => this.#components[name].hasRegExpGroups);
  }

  get [Symbol.toStringTag](): string {
    return 'URLPattern';
  }

  #match(input: URLPatternInput, baseURL: string | undefined): URLPatternResult | null {
    const inputs: URLPatternInput[] = [];
    const values = isObject(input) ? componentsOfInit(input, baseURL, inputs) : componentsOfURL(usv(input), baseURL, inputs);
    if (values === undefined) return null;
    const result = { inputs } as URLPatternResult;
    for (const name of COMPONENTS) {
      const { regexp, names } = this.#components[name];
      const match = regexp.exec(values[name]);
      if (match === null) return null;
      const groups: Record<string, string | undefined> = {};
      names.forEach((group, i) => {
        groups[group] = match[i + 1];
      });
      result[name] = { input: values[name], groups };
    }
    return result;
  }
}

function componentsOfInit(input: object, baseURL: string | undefined, inputs: URLPatternInput[]): Record<ComponentName, string> | undefined {
  if (baseURL !== undefined) throw new TypeError('URLPattern: a base URL goes with a string; an object has a member baseURL');
  const init = readInit(input);
  inputs.push(init);
  try {
    return processInit(init, false, Object.fromEntries(COMPONENTS.map((name) => [name, '']))) as Record<ComponentName, string>;
  } catch {
    return undefined;
  }
}

function componentsOfURL(input: string, baseURL: string | undefined, inputs: URLPatternInput[]): Record<ComponentName, string> | undefined {
  inputs.push(input);
  let base;
  if (baseURL !== undefined) {
    inputs.push(usv(baseURL));
    base = parseURL(usv(baseURL));
    if (base === undefined) return undefined;
  }
  const url = parseURL(input, base);
  if (url === undefined) return undefined;
  return {
    protocol: url.scheme, username: url.username, password: url.password, hostname: url.host ?? '', port: url.port === null ? '' : String(url.port),
    pathname: serializePath(url), search: url.query ?? '', hash: url.fragment ?? '',
  };
}
