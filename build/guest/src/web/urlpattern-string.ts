// The constructor string parser (URL Pattern Standard, section 2.5): cuts a pattern
// such as 'https://:sub.example.com/*' into components without parsing these.

import { compileComponent } from 'neuralis:web/urlpattern-component';
import { canonical, type ComponentName, type Components } from 'neuralis:web/urlpattern-init';
import { tokenize, type Token } from 'neuralis:web/urlpattern-tokens';

type State = 'init' | 'authority' | 'done' | ComponentName;

const SPECIAL = ['http', 'https', 'ws', 'wss', 'ftp', 'file'];

/** Reports whether a protocol pattern matches one of the special schemes. */
export function matchesSpecialScheme(regexp: RegExp): boolean {
  return SPECIAL.some((scheme) => regexp.test(scheme));
}

export const DEFAULT_OPTIONS = { delimiter: '', prefix: '', ignoreCase: false };

/** The components a pattern string mentions. */
export function parsePatternString(input: string): Components {
  return new StringParser(input).parse();
}

class StringParser {
  readonly #input: string;
  readonly #tokens: Token[];
  readonly #result: Components = {};
  #start = 0;
  #at = 0;
  #step = 1;
  #special = false;
  #state: State = 'init';

  constructor(input: string) {
    this.#input = input;
    this.#tokens = tokenize(input, true);
  }

  parse(): Components {
    let depth = 0;
    let brackets = 0;
    for (; this.#at < this.#tokens.length; this.#at += this.#step) {
      this.#step = 1;
      const { type } = this.#tokens[this.#at]!;
      if (type === 'end') {
        if (this.#state === 'init') {
          this.#rewind('init');
          if (this.#isChar('#')) this.#change('hash', 1);
          else if (this.#isSearchPrefix()) this.#change('search', 1);
          else this.#change('pathname', 0);
          continue;
        }
        if (this.#state === 'authority') {
          this.#rewind('hostname');
          continue;
        }
        this.#change('done', 0);
        break;
      }
      if (type === 'open') {
        depth++;
        continue;
      }
      if (depth > 0) {
        if (type !== 'close') continue;
        depth--;
      }
      switch (this.#state) {
        case 'init':
          if (this.#isChar(':')) this.#rewind('protocol');
          break;
        case 'protocol':
          if (this.#isChar(':')) {
            this.#special = matchesSpecialScheme(compileComponent(this.#text(), canonical.protocol, DEFAULT_OPTIONS).regexp);
            if (this.#isChar('/', 1) && this.#isChar('/', 2)) this.#change('authority', 3);
            else this.#change(this.#special ? 'authority' : 'pathname', 1);
          }
          break;
        case 'authority':
          if (this.#isChar('@')) this.#rewind('username');
          else if (this.#isChar('/') || this.#isSearchPrefix() || this.#isChar('#')) this.#rewind('hostname');
          break;
        case 'username':
          if (this.#isChar(':')) this.#change('password', 1);
          else if (this.#isChar('@')) this.#change('hostname', 1);
          break;
        case 'password':
          if (this.#isChar('@')) this.#change('hostname', 1);
          break;
        case 'hostname':
          if (this.#isChar('[')) brackets++;
          else if (this.#isChar(']')) brackets--;
          else if (this.#isChar(':') && brackets === 0) this.#change('port', 1);
          else this.#changeAfterAuthority();
          break;
        case 'port':
          this.#changeAfterAuthority();
          break;
        case 'pathname':
          if (this.#isSearchPrefix()) this.#change('search', 1);
          else if (this.#isChar('#')) this.#change('hash', 1);
          break;
        case 'search':
          if (this.#isChar('#')) this.#change('hash', 1);
          break;
      }
    }
    if (this.#result.hostname !== undefined) this.#result.port ??= '';
    return this.#result;
  }

  #changeAfterAuthority(): void {
    if (this.#isChar('/')) this.#change('pathname', 0);
    else if (this.#isSearchPrefix()) this.#change('search', 1);
    else if (this.#isChar('#')) this.#change('hash', 1);
  }

  #change(next: State, skip: number): void {
    const state = this.#state;
    const result = this.#result;
    if (state !== 'init' && state !== 'authority' && state !== 'done') result[state] = this.#text();
    if (state !== 'init' && next !== 'done') {
      // Components that are passed over are empty, not wildcards.
      const order: State[] = ['protocol', 'authority', 'username', 'password', 'hostname', 'port', 'pathname', 'search', 'hash'];
      const [from, to] = [order.indexOf(state), order.indexOf(next)];
      if (from < 4 && to > 4) result.hostname ??= '';
      if (from < 6 && to > 6) result.pathname ??= this.#special ? '/' : '';
      if (from < 7 && to > 7) result.search ??= '';
    }
    this.#state = next;
    this.#at += skip;
    this.#start = this.#at;
    this.#step = 0;
  }

  #rewind(state: State): void {
    this.#at = this.#start;
    this.#step = 0;
    this.#state = state;
  }

  #text(): string {
    return this.#input.slice(this.#token(this.#start).index, this.#token(this.#at).index);
  }

  #token(at: number): Token {
    return this.#tokens[at] ?? this.#tokens.at(-1)!;
  }

  /** Reports whether the token, or one ahead, is that character and has no meaning in patterns. */
  #isChar(value: string, ahead = 0): boolean {
    const token = this.#token(this.#at + ahead);
    return token.value === value && /char$/.test(token.type);
  }

  #isSearchPrefix(): boolean {
    if (this.#isChar('?')) return true;
    if (this.#token(this.#at).value !== '?') return false;
    // After a group the '?' is its modifier.
    return this.#at === 0 || !['name', 'regexp', 'close', 'asterisk'].includes(this.#token(this.#at - 1).type);
  }
}
