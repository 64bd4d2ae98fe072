// One component of a URL pattern: parsed into parts, compiled to a regular
// expression, written down again (URL Pattern Standard, sections 2.2 to 2.4).

import { isNamePart, tokenize, type Token, type TokenType } from 'neuralis:web/urlpattern-tokens';

export interface PatternOptions {
  delimiter: string;
  prefix: string;
  ignoreCase: boolean;
}

export interface Component {
  pattern: string;
  regexp: RegExp;
  names: string[];
  hasRegExpGroups: boolean;
}

interface Part {
  type: 'fixed-text' | 'regexp' | 'segment-wildcard' | 'full-wildcard';
  value: string;
  /** '', '?', '*' or '+'. */
  modifier: string;
  name: string;
  prefix: string;
  suffix: string;
}

/** Compiles a pattern string; encode canonicalises the fixed text in it. */
export function compileComponent(input: string, encode: (text: string) => string, options: PatternOptions): Component {
  const parts = parse(input, encode, options);
  const names = parts.filter((part) => part.type !== 'fixed-text').map((part) => part.name);
  let regexp: RegExp;
  try {
    regexp = new RegExp(regexpSource(parts, options), options.ignoreCase ? 'vi' : 'v');
  } catch (error) {
    throw new TypeError(`URLPattern: '${input}' has a group that is not a valid regular expression: ${(error as Error).message}`);
  }
  return { pattern: patternString(parts, options), regexp, names, hasRegExpGroups: parts.some((part) => part.type === 'regexp') };
}

function segmentWildcard(options: PatternOptions): string {
  return `[^${escapeRegExp(options.delimiter)}]+?`;
}

function escapeRegExp(text: string): string {
  return text.replace(/[.+*?^${}()[\]|/\\]/g, '\\$&');
}

/** Escapes what has a meaning in pattern strings. */
export function escapePattern(text: string): string {
  return text.replace(/[+*?:{}()\\]/g, '\\$&');
}

function parse(input: string, encode: (text: string) => string, options: PatternOptions): Part[] {
  const tokens = tokenize(input, false);
  const wildcard = segmentWildcard(options);
  const parts: Part[] = [];
  let at = 0;
  let pending = '';
  let number = 0;

  const take = (...types: TokenType[]): Token | undefined => (types.includes(tokens[at]!.type) ? tokens[at++] : undefined);
  const required = (type: TokenType): void => {
    if (take(type) !== undefined) return;
    const token = tokens[at]!;
    throw new TypeError(`URLPattern: unexpected ${token.type === 'end' ? 'end' : `'${token.value}'`} at position ${token.index} of '${input}'`);
  };
  const takeGroup = (name: Token | undefined): Token | undefined => take('regexp') ?? (name === undefined ? take('asterisk') : undefined);
  const takeText = (): string => {
    let text = '';
    for (let token; (token = take('char', 'escaped-char')) !== undefined;) text += token.value;
    return text;
  };
  const flush = (): void => {
    if (pending === '') return;
    parts.push({ type: 'fixed-text', value: encode(pending), modifier: '', name: '', prefix: '', suffix: '' });
    pending = '';
  };
  const add = (prefix: string, nameToken: Token | undefined, group: Token | undefined, suffix: string): void => {
    const modifier = take('other-modifier', 'asterisk')?.value ?? '';
    if (nameToken === undefined && group === undefined) {
      if (modifier === '') {
        pending += prefix;
        return;
      }
      flush();
      if (prefix !== '') parts.push({ type: 'fixed-text', value: encode(prefix), modifier, name: '', prefix: '', suffix: '' });
      return;
    }
    flush();
    let value = group === undefined ? wildcard : group.type === 'asterisk' ? '.*' : group.value;
    let type: Part['type'] = 'regexp';
    if (value === wildcard || value === '.*') {
      type = value === wildcard ? 'segment-wildcard' : 'full-wildcard';
      value = '';
    }
    const name = nameToken?.value ?? String(number++);
    if (parts.some((part) => part.type !== 'fixed-text' && part.name === name)) throw new TypeError(`URLPattern: the name '${name}' occurs twice in '${input}'`);
    parts.push({ type, value, modifier, name, prefix: encode(prefix), suffix: encode(suffix) });
  };

  while (at < tokens.length) {
    const char = take('char');
    const name = take('name');
    const group = takeGroup(name);
    if (name !== undefined || group !== undefined) {
      let prefix = char?.value ?? '';
      if (prefix !== options.prefix) {
        pending += prefix;
        prefix = '';
      }
      flush();
      add(prefix, name, group, '');
      continue;
    }
    const fixed = char ?? take('escaped-char');
    if (fixed !== undefined) {
      pending += fixed.value;
    } else if (take('open') !== undefined) {
      const prefix = takeText();
      const groupName = take('name');
      const inner = takeGroup(groupName);
      const suffix = takeText();
      required('close');
      add(prefix, groupName, inner, suffix);
    } else {
      flush();
      required('end');
    }
  }
  return parts;
}

function regexpSource(parts: readonly Part[], options: PatternOptions): string {
  let source = '^';
  for (const { type, value, modifier, prefix, suffix } of parts) {
    if (type === 'fixed-text') {
      source += modifier === '' ? escapeRegExp(value) : `(?:${escapeRegExp(value)})${modifier}`;
      continue;
    }
    const group = type === 'segment-wildcard' ? segmentWildcard(options) : type === 'full-wildcard' ? '.*' : value;
    const [before, after] = [escapeRegExp(prefix), escapeRegExp(suffix)];
    const once = modifier === '' || modifier === '?';
    if (prefix === '' && suffix === '') source += once ? `(${group})${modifier}` : `((?:${group})${modifier})`;
    else if (once) source += `(?:${before}(${group})${after})${modifier}`;
    else source += `(?:${before}((?:${group})(?:${after}${before}(?:${group}))*)${after})${modifier === '*' ? '?' : ''}`;
  }
  return `${source}$`;
}

function patternString(parts: readonly Part[], options: PatternOptions): string {
  let text = '';
  for (const [i, part] of parts.entries()) {
    const { type, value, modifier, name, prefix, suffix } = part;
    if (type === 'fixed-text') {
      text += modifier === '' ? escapePattern(value) : `{${escapePattern(value)}}${modifier}`;
      continue;
    }
    const [previous, next] = [parts[i - 1], parts[i + 1]];
    const named = !/^[0-9]/.test(name);
    let grouped = suffix !== '' || (prefix !== '' && prefix !== options.prefix);
    if (!grouped && named && type === 'segment-wildcard' && modifier === '' && next !== undefined && next.prefix === '' && next.suffix === '') {
      grouped = next.type === 'fixed-text' ? isNamePart(first(next.value)) : /^[0-9]/.test(next.name);
    }
    if (!grouped && prefix === '' && options.prefix !== '' && previous?.type === 'fixed-text' && previous.value.endsWith(options.prefix)) grouped = true;
    if (grouped) text += '{';
    text += escapePattern(prefix);
    if (named) text += `:${name}`;
    if (type === 'regexp') {
      text += `(${value})`;
    } else if (type === 'segment-wildcard') {
      if (!named) text += `(${segmentWildcard(options)})`;
      else if (suffix !== '' && isNamePart(first(suffix))) text += '\\';
    } else if (!named && (previous === undefined || previous.type === 'fixed-text' || previous.modifier !== '' || grouped || prefix !== '')) {
      text += '*';
    } else {
      text += '(.*)';
    }
    text += escapePattern(suffix);
    if (grouped) text += '}';
    text += modifier;
  }
  return text;
}

function first(text: string): string {
  return text === '' ? '' : String.fromCodePoint(text.codePointAt(0)!);
}
