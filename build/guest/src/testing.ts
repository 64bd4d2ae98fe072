// '@neuralis/package-system/testing' outside of a test run: it says so.

const refuse = (): never => {
  throw new Error('tests run under `neuralis test`; a package must not import @neuralis/package-system/testing from its own code');
};

/** Stands for any of the exports: calling it, or reading anything of it, is refused. */
const refused: any = /* @__PURE__ */ new Proxy(refuse, { get: (_, key) => (typeof key === 'symbol' ? undefined : refuse()), apply: refuse });

export const describe = refused, test = refused, it = refused, expect = refused, mock = refused, host = refused;
export const beforeAll = refused, beforeEach = refused, afterAll = refused, afterEach = refused;

/** Checked while types are checked; does nothing when run. */
export function assertApiMirror(): void {}
