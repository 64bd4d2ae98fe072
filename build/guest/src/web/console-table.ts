// console.table: rows and columns in a box.

import { inspect } from './inspect.ts';

/** The table of an object or array; undefined when there is nothing to tabulate. */
export function tableText(data: unknown, only?: string[]): string | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const rows: [string, unknown][] = data instanceof Map ? [...data].map(([k, v]) => [cell(k), v]) : data instanceof Set ? [...data].map((v, i) => [String(i), v]) : Object.entries(data);
  const columns: string[] = only ? [...only] : [];
  const index = data instanceof Map || data instanceof Set ? '(iteration index)' : '(index)';
  let plain = false; // some rows are values and not objects
  for (const [, row] of rows) {
    if (typeof row !== 'object' || row === null) plain = true;
    else if (!only) for (const key of Object.keys(row)) if (!columns.includes(key)) columns.push(key);
  }
  const head = [index, ...columns, ...(plain ? ['Values'] : [])];
  const lines = rows.map(([key, row]) => {
    const isObject = typeof row === 'object' && row !== null;
    const cells = columns.map((column) => (isObject && Object.hasOwn(row, column) ? cell((row as Record<string, unknown>)[column]) : ''));
    return [key, ...cells, ...(plain ? [isObject ? '' : cell(row)] : [])];
  });
  return draw(head, lines);
}

const cell = (value: unknown): string => inspect(value).replaceAll('\n', ' ');

function draw(head: string[], lines: string[][]): string {
  const widths = head.map((title, i) => Math.max(title.length, ...lines.map((line) => line[i]!.length)) + 2);
  const row = (cells: string[]) => `│${cells.map((text, i) => ` ${text.padEnd(widths[i]! - 1)}`).join('│')}│`;
  const rule = (left: string, middle: string, right: string) => left + widths.map((width) => '─'.repeat(width)).join(middle) + right;
  return [rule('┌', '┬', '┐'), row(head), rule('├', '┼', '┤'), ...lines.map(row), rule('└', '┴', '┘')].join('\n');
}
