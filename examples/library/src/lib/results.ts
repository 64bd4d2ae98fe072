// The two shapes of answers a tool of this package gives.

import { Refusal } from './books.ts';

export function text(message: string, structuredContent?: Record<string, unknown>) {
  return { content: [{ type: 'text' as const, text: message }], structuredContent };
}

/** Runs a tool's work and turns a refusal into an error result that the model can read. Real faults pass. */
export async function answer<T>(work: () => Promise<T>) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { isError: true, ...text(error.message) };
  }
}
