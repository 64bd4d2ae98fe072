// console. Console Standard. What it prints goes to the plug-in's log at the level that
// the standard's severity stands for: log and info are info, and so on. Each call is one entry.

import { log, LogLevel, monotonic } from '../native.ts';
import { jsonStringify } from '../primordials.ts';
import { atCallEnd } from './call-end.ts';
import { inspect } from './inspect.ts';
import { tableText } from './console-table.ts';

let indent = '';
const counts = new Map<string, number>();
const timers = new Map<string, number>();

/** Counts, timers and groups end with the call that began them. */
const forgetLater = (): void => atCallEnd(forget);

function forget(): void {
  indent = '';
  counts.clear();
  timers.clear();
}

function write(level: LogLevel, text: string): void {
  const shown = indent ? indent + text.replaceAll('\n', `\n${indent}`) : text;
  try {
    log(level, shown);
  } catch {
    // While the package is being built there may be no log. Printing must not fail a build.
  }
}

const print = (level: LogLevel) => (...args: unknown[]): void => write(level, formatArguments(args));

/** The Formatter operation: substitutions of the first argument, and the rest after spaces. */
export function formatArguments(args: unknown[]): string {
  const [first, ...rest] = args;
  if (typeof first !== 'string') return args.map(text).join(' ');
  if (rest.length === 0) return first;
  const formatted = first.replace(/%[sdifjoOc%]/g, (mark) => {
    if (mark === '%%') return '%';
    if (rest.length === 0) return mark;
    return substitute(mark[1]!, rest.shift());
  });
  return [formatted, ...rest.map(text)].join(' ');
}

function substitute(kind: string, value: unknown): string {
  switch (kind) {
    case 's':
      return typeof value === 'object' && value !== null && !(value instanceof Error) ? inspect(value) : text(value);
    case 'd':
      return typeof value === 'bigint' ? `${value}n` : typeof value === 'symbol' || typeof value === 'object' ? 'NaN' : String(Number(value));
    case 'i':
      return typeof value === 'bigint' ? `${value}n` : typeof value === 'symbol' || typeof value === 'object' ? 'NaN' : String(Number.parseInt(String(value), 10));
    case 'f':
      return typeof value === 'symbol' ? 'NaN' : String(Number.parseFloat(String(value)));
    case 'j':
      try {
        return jsonStringify(value) ?? 'undefined';
      } catch {
        return '[Circular]';
      }
    case 'c':
      return ''; // styles mean nothing here
    default:
      return inspect(value);
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : inspect(value));

const labelOf = (label: unknown): string => (label === undefined ? 'default' : `${label as string}`);

function elapsed(label: string, rest: unknown[]): string {
  const ms = monotonic() - timers.get(label)!;
  const time = ms < 1000 ? `${Number(ms.toFixed(3))}ms` : `${(ms / 1000).toFixed(3)}s`;
  return [`${label}: ${time}`, ...rest.map(text)].join(' ');
}

function needTimer(method: string, label: string): boolean {
  if (timers.has(label)) return true;
  write(LogLevel.warn, `console.${method}: there is no timer ${inspect(label)}`);
  return false;
}

function group(...args: unknown[]): void {
  if (args.length > 0) write(LogLevel.info, formatArguments(args));
  forgetLater();
  indent += '  ';
}

export const console = {
  log: print(LogLevel.info),
  info: print(LogLevel.info),
  debug: print(LogLevel.debug),
  warn: print(LogLevel.warn),
  error: print(LogLevel.error),
  dirxml: print(LogLevel.info),
  trace(...args: unknown[]): void {
    const { stack = '' } = new Error();
    const frames = stack.split('\n').filter((line) => /^\s*at /.test(line)).slice(1);
    write(LogLevel.trace, [`Trace${args.length > 0 ? `: ${formatArguments(args)}` : ''}`, ...frames].join('\n'));
  },
  dir(value: unknown): void {
    write(LogLevel.info, inspect(value));
  },
  table(data: unknown, columns?: string[]): void {
    write(LogLevel.info, tableText(data, columns) ?? text(data));
  },
  assert(condition?: unknown, ...args: unknown[]): void {
    if (condition) return;
    if (typeof args[0] === 'string') args[0] = `Assertion failed: ${args[0]}`;
    else args.unshift('Assertion failed');
    write(LogLevel.error, formatArguments(args));
  },
  count(label?: unknown): void {
    const name = labelOf(label);
    const count = (counts.get(name) ?? 0) + 1;
    forgetLater();
    counts.set(name, count);
    write(LogLevel.info, `${name}: ${count}`);
  },
  countReset(label?: unknown): void {
    if (!counts.delete(labelOf(label))) write(LogLevel.warn, `console.countReset: there is no count ${inspect(labelOf(label))}`);
  },
  time(label?: unknown): void {
    const name = labelOf(label);
    forgetLater();
    if (timers.has(name)) write(LogLevel.warn, `console.time: the timer ${inspect(name)} is running already`);
    else timers.set(name, monotonic());
  },
  timeLog(label?: unknown, ...rest: unknown[]): void {
    const name = labelOf(label);
    if (needTimer('timeLog', name)) write(LogLevel.info, elapsed(name, rest));
  },
  timeEnd(label?: unknown): void {
    const name = labelOf(label);
    if (!needTimer('timeEnd', name)) return;
    write(LogLevel.info, elapsed(name, []));
    timers.delete(name);
  },
  group,
  groupCollapsed: group,
  groupEnd(): void {
    indent = indent.slice(2);
  },
  clear(): void {
    indent = '';
  },
};
