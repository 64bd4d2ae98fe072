// Runs a suite inside the real engine: a package without the runtime, whose one call runs every test.
// The suites make runtimes of their own on a native function they control (machine.ts), so the real one
// is wrapped first: what a test puts into globalThis.fake.native answers in its place.

const scope = globalThis as Record<string, any>;
const real = scope['__neuralis_native'] as (op: number, ...args: unknown[]) => any;
scope['fake'] = { native: { 2: () => {}, 4: () => {} } };
scope['__neuralis_native'] = (op: number, ...args: unknown[]) => (scope['fake'].native[op] ?? ((...rest: unknown[]) => real(op, ...rest)))(...args);

/** Makes the suite what the package's calls run. */
export function serveSuite(run: (report: (name: string, error?: any) => void) => Promise<void>): void {
  let answer: string | undefined;
  const enter = (kind: number): void => {
    answer = kind === 2 ? '{}' : undefined;
    if (answer) return;
    const failures: string[] = [];
    let passed = 0;
    const report = (name: string, error?: any): void => void (error === undefined ? passed++ : failures.push(`${name}: ${error?.message ?? error}\n${error?.stack ?? ''}`));
    run(report).then(
      () => (answer = JSON.stringify({ passed, failures })),
      (error) => (answer = JSON.stringify({ passed, failures: [String(error)] })),
    );
  };
  const turn = (): number => {
    if (answer === undefined) return 2;
    real(1, answer);
    return 0;
  };
  real(16, enter, turn, () => {}, (error: unknown) => real(2, String(error)));
}
