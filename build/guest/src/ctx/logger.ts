// ctx.logger: levels, a message and fields. A log call never throws and never fails a call,
// whatever its fields are.

import { log, logLevel, LogLevel } from '../native.ts';
import { jsonParse, jsonStringify } from '../primordials.ts';
import { describeError } from '../web/report.ts';
import { host } from './host.ts';

const names = ['trace', 'debug', 'info', 'warn', 'error'] as const;
type Name = (typeof names)[number];
export type Fields = Record<string, unknown>;

function write(level: LogLevel, message: unknown, fields?: Fields): void {
  const text = typeof message === 'string' ? message : message instanceof Error ? describeError(message) : String(message);
  try {
    host({ op: 'log', level: names[level], message: text, fields: plain(fields) } as { op: string });
  } catch {
    // A host without a structured log still has the plug-in's.
    const rest = fields === undefined ? '' : ` ${jsonStringify(plain(fields))}`;
    try {
      log(level, text + rest);
    } catch {
      // While the package is being built there is no log at all.
    }
  }
}

/** Fields as plain data: errors with their stack, BigInts as text, cycles cut. */
function plain(fields: unknown): unknown {
  if (fields === undefined) return undefined;
  const open: object[] = [];
  try {
    return jsonParse(
      jsonStringify(fields, function (this: object, _key, value: unknown) {
        const at = open.indexOf(this);
        if (at >= 0) open.length = at + 1;
        if (typeof value === 'bigint') return String(value);
        if (value instanceof Error) return { name: value.name, message: value.message, stack: value.stack, code: (value as { code?: unknown }).code };
        if (typeof value !== 'object' || value === null) return value;
        if (open.includes(value)) return '[circular]';
        open.push(value);
        return value;
      }),
    );
  } catch {
    return { unreadable: String(Object.prototype.toString.call(fields)) };
  }
}

const at = (level: LogLevel) => (message: string, fields?: Fields) => write(level, message, fields);

export const logger = {
  trace: at(LogLevel.trace),
  debug: at(LogLevel.debug),
  info: at(LogLevel.info),
  warn: at(LogLevel.warn),
  error: at(LogLevel.error),
  /** The lowest level that is kept, or "silent". */
  get level(): Name | 'silent' {
    return names[Math.max(logLevel(), 0)] ?? 'silent';
  },
};
