// What the suites report to, and the few assertions they use. No suite depends on
// where it runs: the driver hands in a Report, and the suites import the modules
// under test by their virtual names.

/** Collects results. A peer is the surrounding platform's own implementation, where it has one. */
export interface Report {
  passed: number;
  failures: string[];
  readonly peer: Record<string, any> | undefined;
}

/** Runs one case; whatever it throws is its failure. */
export function test(report: Report, name: string, body: () => void): void {
  try {
    body();
    report.passed++;
  } catch (error) {
    report.failures.push(`${name}: ${describe(error)}`);
  }
}

/** The same for a case that waits. */
export async function testAsync(report: Report, name: string, body: () => Promise<void>): Promise<void> {
  try {
    await body();
    report.passed++;
  } catch (error) {
    report.failures.push(`${name}: ${describe(error)}`);
  }
}

function describe(error: any): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Fails unless got is want: the same primitive, or arrays and plain objects alike in JSON. */
export function equal(got: unknown, want: unknown, what = 'value'): void {
  const [a, b] = [show(got), show(want)];
  if (!Object.is(got, want) && (typeof want !== 'object' || a !== b)) throw new Error(`${what}: got ${a}, want ${b}`);
}

function show(value: unknown): string {
  if (ArrayBuffer.isView(value)) return JSON.stringify(Array.from(value as Uint8Array));
  return typeof value === 'bigint' ? `${value}n` : JSON.stringify(value) ?? String(value);
}

/** Fails unless body throws an error of that name. */
export function throws(body: () => unknown, name: string): void {
  try {
    body();
  } catch (error: any) {
    if (error?.name !== name) throw new Error(`threw ${describe(error)}, want ${name}`);
    return;
  }
  throw new Error(`did not throw ${name}`);
}

/** Fails unless the promise is rejected with an error of that name. */
export async function rejects(promise: Promise<unknown>, name: string): Promise<Error> {
  try {
    await promise;
  } catch (error: any) {
    if (error?.name !== name) throw new Error(`rejected with ${describe(error)}, want ${name}`);
    return error;
  }
  throw new Error(`was not rejected with ${name}`);
}

/** What body returns, or the name of what it throws: for comparing with a peer. */
export function outcome(body: () => unknown): unknown {
  try {
    return body();
  } catch (error: any) {
    return `throws ${error?.name}`;
  }
}

/** A small generator of repeatable numbers, so that generated inputs are the same on every run. */
export function numbers(seed: number): (below: number) => number {
  return (below) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
}
