// The URL record of the URL Standard (section 4.1), its serialiser, and the
// small questions the parser and the setters both ask.

export interface URLRecord {
  scheme: string;
  username: string;
  password: string;
  /** Serialised; null when there is none, '' when it is empty. */
  host: string | null;
  port: number | null;
  /** Segments, or a string when the path is opaque. */
  path: string[] | string;
  query: string | null;
  fragment: string | null;
}

/** A record with nothing in it but its scheme. */
export function emptyRecord(scheme: string): URLRecord {
  return { scheme, username: '', password: '', host: null, port: null, path: [], query: null, fragment: null };
}

/** The default port of a special scheme, null for file, undefined when the scheme is not special. */
export function defaultPort(scheme: string): number | null | undefined {
  switch (scheme) {
    case 'http':
    case 'ws':
      return 80;
    case 'https':
    case 'wss':
      return 443;
    case 'ftp':
      return 21;
    case 'file':
      return null;
    default:
      return undefined;
  }
}

export function isSpecial(url: URLRecord): boolean {
  return defaultPort(url.scheme) !== undefined;
}

export function hasCredentials(url: URLRecord): boolean {
  return url.username !== '' || url.password !== '';
}

export function isDriveLetter(text: string): boolean {
  return /^[a-zA-Z][:|]$/.test(text);
}

/** Reports whether text begins with a drive letter that ends there or at a path, query or fragment. */
export function startsWithDriveLetter(text: string): boolean {
  return /^[a-zA-Z][:|](?:$|[/\\?#])/.test(text);
}

/** Drops the last segment, but never a file URL's drive letter. */
export function shortenPath(url: URLRecord): void {
  const path = url.path as string[];
  if (url.scheme === 'file' && path.length === 1 && /^[a-zA-Z]:$/.test(path[0]!)) return;
  path.pop();
}

export function serializeHost(url: URLRecord): string {
  if (url.host === null) return '';
  return url.port === null ? url.host : `${url.host}:${url.port}`;
}

export function serializePath(url: URLRecord): string {
  if (typeof url.path === 'string') return url.path;
  return url.path.length === 0 ? '' : `/${url.path.join('/')}`;
}

export function serializeURL(url: URLRecord, withFragment: boolean): string {
  let text = `${url.scheme}:`;
  if (url.host !== null) {
    text += '//';
    if (hasCredentials(url)) text += `${url.username}${url.password === '' ? '' : `:${url.password}`}@`;
    text += serializeHost(url);
  } else if (typeof url.path !== 'string' && url.path.length > 1 && url.path[0] === '') {
    // Without this the path would read as a host when parsed again.
    text += '/.';
  }
  text += serializePath(url);
  if (url.query !== null) text += `?${url.query}`;
  if (withFragment && url.fragment !== null) text += `#${url.fragment}`;
  return text;
}
