// The few assertions the tests of this folder need, without any library: they run in Node
// and in the sandbox's engine alike. A test file exports run(report); report is called once
// per test, with an error when it failed.

export type Report = (name: string, error?: unknown) => void;
type Test = { name: string; body: () => unknown };

/** A list of tests and the run function over it. */
export function suite(define: (test: (name: string, body: () => unknown) => void) => void): (report: Report) => Promise<void> {
  return async (report) => {
    const tests: Test[] = [];
    define((name, body) => tests.push({ name, body }));
    for (const { name, body } of tests) {
      try {
        await body();
        report(name);
      } catch (error) {
        report(name, error ?? new Error('undefined was thrown'));
      }
    }
  };
}

export function equal(got: unknown, want: unknown, what = ''): void {
  if (!Object.is(got, want)) throw new Error(`${what ? `${what}: ` : ''}got ${show(got)}, want ${show(want)}`);
}

/** Equality of plain data, by its JSON. */
export function same(got: unknown, want: unknown, what = ''): void {
  equal(JSON.stringify(got), JSON.stringify(want), what);
}

export function ok(value: unknown, what: string): void {
  if (!value) throw new Error(`not so: ${what}`);
}

/** Checks that something throws; wanted is a class, a DOMException's name, or a part of the message. */
export function throws(body: () => unknown, wanted: string | RegExp | (new (...args: any[]) => Error)): any {
  try {
    body();
  } catch (error) {
    matches(error, wanted);
    return error;
  }
  throw new Error(`nothing was thrown; wanted ${wanted}`);
}

export async function rejects(body: () => Promise<unknown>, wanted: string | RegExp | (new (...args: any[]) => Error)): Promise<any> {
  try {
    await body();
  } catch (error) {
    matches(error, wanted);
    return error;
  }
  throw new Error(`nothing was thrown; wanted ${wanted}`);
}

function matches(error: any, wanted: string | RegExp | (new (...args: any[]) => Error)): void {
  if (typeof wanted === 'string') equal(error?.name, wanted, `the name of ${error}`);
  else if (wanted instanceof RegExp) ok(wanted.test(String(error?.message)), `${JSON.stringify(error?.message)} matches ${wanted}`);
  else ok(error instanceof wanted, `${error} is a ${wanted.name}`);
}

export const show = (value: unknown): string => (typeof value === 'string' ? JSON.stringify(value) : String(value));
