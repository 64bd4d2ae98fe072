// What a URL pattern is made from, and what it is matched with: the canonical form
// of each component, and filling in from a base URL (URL Pattern Standard, sections
// 3 and 4).

import { C0_CONTROL, FRAGMENT, percentEncode, SPECIAL_QUERY, USERINFO } from 'neuralis:web/url-percent';
import { parseHost } from 'neuralis:web/url-host';
import { parseURL, pathStart, portColon, withoutTabs } from 'neuralis:web/url-parser';
import { defaultPort, emptyRecord, serializePath } from 'neuralis:web/url-record';
import { escapePattern } from 'neuralis:web/urlpattern-component';

export const COMPONENTS = ['protocol', 'username', 'password', 'hostname', 'port', 'pathname', 'search', 'hash'] as const;
export type ComponentName = (typeof COMPONENTS)[number];
export type Components = Partial<Record<ComponentName, string>>;
export type URLPatternInit = Components & { baseURL?: string };

function invalid(what: string, value: string): TypeError {
  return new TypeError(`URLPattern: '${value}' is not a valid ${what}`);
}

export const canonical = {
  protocol(value: string): string {
    if (value === '') return value;
    const url = parseURL(`${value}://dummy.invalid`);
    if (url === undefined) throw invalid('protocol', value);
    return url.scheme;
  },
  username: (value: string): string => percentEncode(value, USERINFO),
  password: (value: string): string => percentEncode(value, USERINFO),
  hostname(value: string): string {
    const text = withoutTabs(value).replace(/[/\\?#].*$/s, '');
    if (value === '') return value;
    const host = text === '' || portColon(text) >= 0 ? undefined : parseHost(text, false);
    if (host === undefined) throw invalid('hostname', value);
    return host;
  },
  ipv6(value: string): string {
    if (/[^0-9a-fA-F[\]:]/.test(value)) throw invalid('IPv6 address', value);
    return value.toLowerCase();
  },
  port(value: string, protocol?: string): string {
    if (value === '') return value;
    const digits = /^[0-9]+/.exec(withoutTabs(value))?.[0];
    if (digits === undefined || Number(digits) > 65535) throw invalid('port', value);
    return protocol !== undefined && Number(digits) === defaultPort(protocol) ? '' : String(Number(digits));
  },
  pathname(value: string): string {
    if (value === '') return value;
    const slash = value.startsWith('/');
    const url = emptyRecord('https');
    pathStart(url, withoutTabs(slash ? value : `/-${value}`), true);
    return slash ? serializePath(url) : serializePath(url).slice(2);
  },
  opaquePathname: (value: string): string => percentEncode(withoutTabs(value), C0_CONTROL),
  search: (value: string): string => percentEncode(withoutTabs(value), SPECIAL_QUERY),
  hash: (value: string): string => percentEncode(withoutTabs(value), FRAGMENT),
};

function isAbsolutePathname(value: string, pattern: boolean): boolean {
  return value.startsWith('/') || (pattern && (value.startsWith('\\/') || value.startsWith('{/')));
}

/**
 * Processes a URLPatternInit: as a pattern it is only completed from its base URL;
 * as a URL it is also canonicalised. Throws TypeError for what is not valid.
 */
export function processInit(init: URLPatternInit, pattern: boolean, given: Components): Components {
  const result: Components = { ...given };
  const own = (...names: ComponentName[]): boolean => names.some((name) => init[name] !== undefined);
  const fromBase = (text: string): string => (pattern ? escapePattern(text) : text);
  const base = init.baseURL === undefined ? undefined : parseURL(usv(init.baseURL));
  if (init.baseURL !== undefined) {
    if (base === undefined) throw invalid('base URL', init.baseURL);
    if (!own('protocol')) result.protocol = fromBase(base.scheme);
    if (!pattern && !own('protocol', 'hostname', 'port', 'username')) result.username = fromBase(base.username);
    if (!pattern && !own('protocol', 'hostname', 'port', 'username', 'password')) result.password = fromBase(base.password);
    if (!own('protocol', 'hostname')) result.hostname = fromBase(base.host ?? '');
    if (!own('protocol', 'hostname', 'port')) result.port = base.port === null ? '' : String(base.port);
    if (!own('protocol', 'hostname', 'port', 'pathname')) result.pathname = fromBase(serializePath(base));
    if (!own('protocol', 'hostname', 'port', 'pathname', 'search')) result.search = fromBase(base.query ?? '');
    if (!own('protocol', 'hostname', 'port', 'pathname', 'search', 'hash')) result.hash = fromBase(base.fragment ?? '');
  }
  const set = (name: ComponentName, clean: RegExp | undefined, encode: (text: string) => string): void => {
    if (init[name] === undefined) return;
    const text = clean === undefined ? usv(init[name]) : usv(init[name]).replace(clean, '');
    result[name] = pattern ? text : encode(text);
  };
  set('protocol', /:$/, canonical.protocol);
  set('username', undefined, canonical.username);
  set('password', undefined, canonical.password);
  set('hostname', undefined, canonical.hostname);
  set('port', undefined, (text) => canonical.port(text, result.protocol));
  if (init.pathname !== undefined) {
    let text = usv(init.pathname);
    if (base !== undefined && typeof base.path !== 'string' && !isAbsolutePathname(text, pattern)) {
      const folder = fromBase(serializePath(base));
      text = folder.slice(0, folder.lastIndexOf('/') + 1) + text;
    }
    const hierarchical = !result.protocol || defaultPort(result.protocol) !== undefined;
    result.pathname = pattern ? text : hierarchical ? canonical.pathname(text) : canonical.opaquePathname(text);
  }
  set('search', /^\?/, canonical.search);
  set('hash', /^#/, canonical.hash);
  return result;
}

/** WebIDL's USVString. */
export function usv(value: unknown): string {
  return `${value as string}`.toWellFormed();
}
