// The basic URL parser (URL Standard, section 4.4). The standard describes a
// state machine over code points; here each state is a function that takes the
// text that is left and cuts off all it consumes, which an interpreter runs much
// faster. The names of the functions are the names of the states.

import { parseHost } from 'neuralis:web/url-host';
import { C0_CONTROL, FRAGMENT, PATH, percentEncode, QUERY, SPECIAL_QUERY, USERINFO } from 'neuralis:web/url-percent';
import {
  defaultPort, emptyRecord, hasCredentials, isDriveLetter, isSpecial, shortenPath, startsWithDriveLetter, type URLRecord,
} from 'neuralis:web/url-record';

/** Parses input against a base; undefined is failure. The input is a well-formed string. */
export function parseURL(input: string, base?: URLRecord): URLRecord | undefined {
  const text = withoutTabs(input.replace(/^[\0-\x20]+|[\0-\x20]+$/g, ''));
  const scheme = /^[a-zA-Z][a-zA-Z0-9+.-]*(?=:)/.exec(text)?.[0];
  if (scheme === undefined) return noScheme(text, base);
  const url = emptyRecord(scheme.toLowerCase());
  const rest = text.slice(scheme.length + 1);
  let ok = true;
  if (url.scheme === 'file') {
    ok = file(url, rest, base);
  } else if (isSpecial(url)) {
    if (base !== undefined && base.scheme === url.scheme && !rest.startsWith('//')) {
      ok = relative(url, rest, base);
    } else {
      ok = authority(url, rest.replace(/^[/\\]+/, ''));
    }
  } else if (rest.startsWith('//')) {
    ok = authority(url, rest.slice(2));
  } else if (rest.startsWith('/')) {
    path(url, rest.slice(1), false);
  } else {
    opaquePath(url, rest);
  }
  return ok ? url : undefined;
}

/** What every entry into the parser removes first. */
export function withoutTabs(text: string): string {
  return text.replace(/[\t\n\r]+/g, '');
}

function noScheme(text: string, base: URLRecord | undefined): URLRecord | undefined {
  if (base === undefined) return undefined;
  const url = emptyRecord(base.scheme);
  if (typeof base.path === 'string') {
    if (!text.startsWith('#')) return undefined;
    url.path = base.path;
    url.query = base.query;
    queryAndFragment(url, text);
    return url;
  }
  const ok = base.scheme === 'file' ? file(url, text, base) : relative(url, text, base);
  return ok ? url : undefined;
}

function relative(url: URLRecord, text: string, base: URLRecord): boolean {
  const special = isSpecial(url);
  const slash = (c: string | undefined): boolean => c === '/' || (special && c === '\\');
  if (slash(text[0])) {
    if (slash(text[1])) return authority(url, special ? text.replace(/^[/\\]+/, '') : text.slice(2));
    takeAuthority(url, base);
    path(url, text.slice(1), false);
    return true;
  }
  takeAuthority(url, base);
  continueFrom(url, text, base, true);
  return true;
}

function takeAuthority(url: URLRecord, base: URLRecord): void {
  url.username = base.username;
  url.password = base.password;
  url.host = base.host;
  url.port = base.port;
}

/** The end of the relative and file states: path and query of the base, as far as text leaves them. */
function continueFrom(url: URLRecord, text: string, base: URLRecord, shorten: boolean): void {
  url.path = [...base.path];
  url.query = base.query;
  if (text === '' || text[0] === '?' || text[0] === '#') {
    queryAndFragment(url, text);
    return;
  }
  url.query = null;
  if (shorten) shortenPath(url);
  else url.path = [];
  path(url, text, false);
}

function authority(url: URLRecord, text: string): boolean {
  const end = text.search(isSpecial(url) ? /[/\\?#]/ : /[/?#]/);
  let host = end < 0 ? text : text.slice(0, end);
  const at = host.lastIndexOf('@');
  if (at >= 0) {
    const credentials = host.slice(0, at);
    host = host.slice(at + 1);
    if (host === '') return false;
    const colon = credentials.indexOf(':');
    url.username = percentEncode(colon < 0 ? credentials : credentials.slice(0, colon), USERINFO);
    url.password = colon < 0 ? '' : percentEncode(credentials.slice(colon + 1), USERINFO);
  }
  const colon = portColon(host);
  if (colon === 0) return false;
  const name = colon < 0 ? host : host.slice(0, colon);
  if (name === '' && isSpecial(url)) return false;
  const parsed = parseHost(name, !isSpecial(url));
  if (parsed === undefined) return false;
  url.host = parsed;
  if (colon >= 0 && !port(url, host.slice(colon + 1))) return false;
  pathStart(url, end < 0 ? '' : text.slice(end), false);
  return true;
}

/** The first colon outside of brackets, or -1. */
export function portColon(host: string): number {
  let brackets = false;
  for (let i = 0; i < host.length; i++) {
    if (host[i] === '[') brackets = true;
    else if (host[i] === ']') brackets = false;
    else if (host[i] === ':' && !brackets) return i;
  }
  return -1;
}

function port(url: URLRecord, text: string): boolean {
  if (text === '') return true;
  if (!/^[0-9]+$/.test(text) || Number(text) > 65535) return false;
  setPort(url, Number(text));
  return true;
}

/** Sets the port, null when it is the scheme's own. */
export function setPort(url: URLRecord, value: number): void {
  url.port = value === defaultPort(url.scheme) ? null : value;
}

function file(url: URLRecord, text: string, base: URLRecord | undefined): boolean {
  url.host = '';
  const from = base?.scheme === 'file' ? base : undefined;
  if (text[0] === '/' || text[0] === '\\') {
    if (text[1] === '/' || text[1] === '\\') return fileHost(url, text.slice(2));
    if (from !== undefined) {
      url.host = from.host;
      const first = from.path[0];
      if (!startsWithDriveLetter(text.slice(1)) && first !== undefined && /^[a-zA-Z]:$/.test(first)) url.path = [first];
    }
    path(url, text.slice(1), false);
    return true;
  }
  if (from === undefined) {
    path(url, text, false);
    return true;
  }
  url.host = from.host;
  continueFrom(url, text, from, !startsWithDriveLetter(text));
  return true;
}

function fileHost(url: URLRecord, text: string): boolean {
  const end = text.search(/[/\\?#]/);
  const name = end < 0 ? text : text.slice(0, end);
  if (isDriveLetter(name)) {
    path(url, text, false);
    return true;
  }
  if (name !== '') {
    const host = parseHost(name, false);
    if (host === undefined) return false;
    url.host = host === 'localhost' ? '' : host;
  }
  pathStart(url, end < 0 ? '' : text.slice(end), false);
  return true;
}

/**
 * The path start state and all that follows. pathOnly is the state override of
 * the pathname setter: '?' and '#' are then part of the path.
 */
export function pathStart(url: URLRecord, text: string, pathOnly: boolean): void {
  if (isSpecial(url)) {
    path(url, /^[/\\]/.test(text) ? text.slice(1) : text, pathOnly);
  } else if (!pathOnly && (text === '' || text[0] === '?' || text[0] === '#')) {
    queryAndFragment(url, text);
  } else if (text !== '') {
    path(url, text[0] === '/' ? text.slice(1) : text, pathOnly);
  } else if (url.host === null) {
    (url.path as string[]).push('');
  }
}

/** The path state: text begins inside a segment. */
function path(url: URLRecord, text: string, pathOnly: boolean): void {
  const segments = url.path as string[];
  const end = pathOnly ? -1 : text.search(/[?#]/);
  const parts = (end < 0 ? text : text.slice(0, end)).split(isSpecial(url) ? /[/\\]/ : '/');
  const last = parts.length - 1;
  for (const [i, part] of parts.entries()) {
    const segment = percentEncode(part, PATH);
    if (/^(?:\.|%2e){2}$/i.test(segment)) {
      shortenPath(url);
      if (i === last) segments.push('');
    } else if (/^(?:\.|%2e)$/i.test(segment)) {
      if (i === last) segments.push('');
    } else if (url.scheme === 'file' && segments.length === 0 && isDriveLetter(segment)) {
      segments.push(`${segment[0]}:`);
    } else {
      segments.push(segment);
    }
  }
  if (end >= 0) queryAndFragment(url, text.slice(end));
}

function opaquePath(url: URLRecord, text: string): void {
  const end = text.search(/[?#]/);
  const part = percentEncode(end < 0 ? text : text.slice(0, end), C0_CONTROL);
  // A space before the query or fragment would be lost when parsed again without them.
  url.path = end < 0 ? part : part.replace(/ $/, '%20');
  if (end >= 0) queryAndFragment(url, text.slice(end));
}

/** text is empty or begins with '?' or '#'. */
function queryAndFragment(url: URLRecord, text: string): void {
  const hash = text.indexOf('#');
  if (hash >= 0) url.fragment = percentEncode(text.slice(hash + 1), FRAGMENT);
  if (text[0] === '?') setQuery(url, text.slice(1, hash < 0 ? undefined : hash));
}

/** The query state with a state override: text is the query without its '?'. */
export function setQuery(url: URLRecord, text: string): void {
  url.query = percentEncode(text, isSpecial(url) ? SPECIAL_QUERY : QUERY);
}

/** The host and hostname setters: the host state with an override. */
export function setHost(url: URLRecord, value: string, nameOnly: boolean): void {
  const special = isSpecial(url);
  const end = value.search(special ? /[/\\?#]/ : /[/?#]/);
  const text = end < 0 ? value : value.slice(0, end);
  if (url.scheme === 'file') {
    const host = text === '' ? '' : parseHost(text, false);
    if (host !== undefined) url.host = host === 'localhost' ? '' : host;
    return;
  }
  const colon = portColon(text);
  if (colon === 0 || (colon > 0 && nameOnly)) return;
  const name = colon < 0 ? text : text.slice(0, colon);
  if (name === '' && (special || hasCredentials(url) || url.port !== null)) return;
  const host = parseHost(name, !special);
  if (host === undefined) return;
  url.host = host;
  if (colon > 0) setPortDigits(url, text.slice(colon + 1));
}

/** The port state with an override: the leading digits, if any, are the port. */
export function setPortDigits(url: URLRecord, text: string): void {
  const digits = /^[0-9]+/.exec(text)?.[0];
  if (digits !== undefined && Number(digits) <= 65535) setPort(url, Number(digits));
}
