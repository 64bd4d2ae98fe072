// The tokens of pattern strings (URL Pattern Standard, section 2.1).

export type TokenType = 'open' | 'close' | 'regexp' | 'name' | 'char' | 'escaped-char' | 'other-modifier' | 'asterisk' | 'end' | 'invalid-char';

export interface Token {
  type: TokenType;
  /** Where it begins, in UTF-16 code units. */
  index: number;
  value: string;
}

export function isNameStart(point: string): boolean {
  return /^[$_\p{ID_Start}]$/u.test(point);
}

export function isNamePart(point: string): boolean {
  return /^[$\u200c\u200d\p{ID_Continue}]$/u.test(point);
}

const SIMPLE: Record<string, TokenType> = { '*': 'asterisk', '+': 'other-modifier', '?': 'other-modifier', '{': 'open', '}': 'close' };

/** Cuts input into tokens. What makes no sense throws, or is an invalid-char token when lenient. */
export function tokenize(input: string, lenient: boolean): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const add = (type: TokenType, value: string, length: number): void => {
    tokens.push({ type, index: at, value });
    at += length;
  };
  const wrong = (length: number, what: string): void => {
    if (!lenient) throw new TypeError(`URLPattern: ${what} at position ${at} of '${input}'`);
    add('invalid-char', input.slice(at, at + length), length);
  };
  while (at < input.length) {
    const point = String.fromCodePoint(input.codePointAt(at)!);
    if (SIMPLE[point] !== undefined) {
      add(SIMPLE[point], point, 1);
    } else if (point === '\\') {
      if (at + 1 === input.length) {
        wrong(1, 'a backslash escapes nothing');
        continue;
      }
      const escaped = String.fromCodePoint(input.codePointAt(at + 1)!);
      add('escaped-char', escaped, 1 + escaped.length);
    } else if (point === ':') {
      let name = '';
      for (const next of input.slice(at + 1)) {
        if (!(name === '' ? isNameStart(next) : isNamePart(next))) break;
        name += next;
      }
      if (name === '') wrong(1, "a ':' without a name (escape it as '\\\\:')");
      else add('name', name, 1 + name.length);
    } else if (point === '(') {
      const length = regexpLength(input, at + 1);
      if (length === undefined) wrong(1, 'a group that is not closed, is empty, captures or is not ASCII');
      else add('regexp', input.slice(at + 1, at + 1 + length), length + 2);
    } else {
      add('char', point, point.length);
    }
  }
  add('end', '', 0);
  return tokens;
}

/** The length of the regular expression up to its closing parenthesis; undefined when it is not allowed. */
function regexpLength(input: string, start: number): number | undefined {
  let depth = 1;
  for (let at = start; at < input.length; at++) {
    const unit = input[at]!;
    if (unit > '\x7f' || (at === start && unit === '?')) return undefined;
    if (unit === '\\') {
      at++;
      if (at >= input.length || input[at]! > '\x7f') return undefined;
    } else if (unit === ')') {
      if (--depth === 0) return at === start ? undefined : at - start;
    } else if (unit === '(') {
      depth++;
      if (input[at + 1] !== '?') return undefined;
    }
  }
  return undefined;
}
