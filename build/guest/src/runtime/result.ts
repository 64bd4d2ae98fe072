// From what a handler returned to JSON text, or to an error that says what was wrong
// with it and where.

import { jsonStringify } from '../primordials.ts';
import { preview } from '../web/report.ts';
import { CallError } from './errors.ts';

/** The JSON text of a handler's result; undefined becomes null. */
export function resultText(value: unknown, who: string): string {
  if (value === undefined) return 'null';
  if (typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint') {
    throw new CallError('invalid-result', `${who} returned ${kind(value)}, which cannot be written as JSON; return plain data`);
  }
  return jsonText(value, who, 'the result');
}

/** JSON.stringify with errors that name the place. */
export function jsonText(value: unknown, who: string, what: string): string {
  let text: string | undefined;
  try {
    text = jsonStringify(value);
  } catch (error) {
    const fault = findFault(value);
    if (fault === undefined) throw error; // a toJSON or a getter of the author's own threw
    throw new CallError('invalid-result', `${who}: ${what} cannot be written as JSON: ${fault}`);
  }
  if (text === undefined) throw new CallError('invalid-result', `${who}: ${what} has no JSON form (${kind(value)})`);
  return text;
}

function kind(value: unknown): string {
  return typeof value === 'bigint' ? `a BigInt (${preview(value)}n)` : typeof value === 'function' ? preview(value) : `a ${typeof value}`;
}

/** Where a value has a BigInt or comes back to itself, in words. */
function findFault(root: unknown): string | undefined {
  const path: string[] = [];
  const open: object[] = [];
  const visit = (value: unknown): string | undefined => {
    if (typeof value === 'bigint') return `${spell(path)} is a BigInt (${value}n); return a string or a number`;
    if (typeof value !== 'object' || value === null) return undefined;
    const at = open.indexOf(value);
    if (at >= 0) return `${spell(path)} is the same object as ${spell(path.slice(0, at))}, a cycle`;
    if (open.length > 500) return undefined;
    open.push(value);
    for (const key of Object.keys(value)) {
      path.push(Array.isArray(value) ? `[${key}]` : `.${key}`);
      const fault = visit((value as Record<string, unknown>)[key]);
      if (fault !== undefined) return fault;
      path.pop();
    }
    open.pop();
    return undefined;
  };
  try {
    return visit(root);
  } catch {
    return undefined;
  }
}

const spell = (path: string[]): string => `result${path.join('')}`;
