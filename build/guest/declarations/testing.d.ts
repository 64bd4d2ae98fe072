// Types of '@neuralis/package-system/testing', for test files that `neuralis test` runs.

declare module '@neuralis/package-system/testing' {
  import type { Session } from '@neuralis/package-system';
  import type { RouteAnswer, ToolResult } from '@neuralis/package-system/pdk-guest';

  type Body = () => unknown;

  export interface TestOptions {
    /** Milliseconds after which the test has failed. */
    timeout?: number;
    /** How often a failing test is tried again. */
    retry?: number;
  }

  export interface TestFunction {
    (name: string, body: Body, options?: TestOptions | number): void;
    only(name: string, body: Body, options?: TestOptions | number): void;
    skip(name: string, body?: Body, options?: TestOptions | number): void;
    todo(name: string): void;
    /** One test for each row; %s, %d, %i, %j and $property in the name stand for its values. */
    each<T extends readonly unknown[] | readonly [unknown]>(rows: readonly T[]): (name: string, body: (...args: [...T]) => unknown, options?: TestOptions | number) => void;
    each<T>(rows: readonly T[]): (name: string, body: (value: T) => unknown, options?: TestOptions | number) => void;
  }

  export interface DescribeFunction {
    (name: string, body: () => void): void;
    only(name: string, body: () => void): void;
    skip(name: string, body: () => void): void;
    todo(name: string): void;
    each<T extends readonly unknown[] | readonly [unknown]>(rows: readonly T[]): (name: string, body: (...args: [...T]) => void) => void;
    each<T>(rows: readonly T[]): (name: string, body: (value: T) => void) => void;
  }

  export const describe: DescribeFunction;
  export const test: TestFunction;
  export const it: TestFunction;
  export function beforeAll(body: Body, timeout?: number): void;
  export function beforeEach(body: Body, timeout?: number): void;
  export function afterAll(body: Body, timeout?: number): void;
  export function afterEach(body: Body, timeout?: number): void;

  /** What a value is checked for. Each fails the test when it is not so. */
  export interface Matchers<R = void> {
    readonly not: Matchers<R>;
    /** Of what the promise resolves to. */
    readonly resolves: Matchers<Promise<void>>;
    /** Of what the promise is rejected with. */
    readonly rejects: Matchers<Promise<void>>;
    toBe(expected: unknown): R;
    toEqual(expected: unknown): R;
    toStrictEqual(expected: unknown): R;
    toMatchObject(expected: object): R;
    toMatch(expected: string | RegExp): R;
    toContain(item: unknown): R;
    toContainEqual(item: unknown): R;
    toHaveLength(length: number): R;
    toHaveProperty(path: string | readonly (string | number)[], value?: unknown): R;
    toBeDefined(): R;
    toBeUndefined(): R;
    toBeNull(): R;
    toBeNaN(): R;
    toBeTruthy(): R;
    toBeFalsy(): R;
    toBeGreaterThan(than: number | bigint): R;
    toBeGreaterThanOrEqual(than: number | bigint): R;
    toBeLessThan(than: number | bigint): R;
    toBeLessThanOrEqual(than: number | bigint): R;
    toBeCloseTo(to: number, digits?: number): R;
    toBeInstanceOf(type: abstract new (...args: any[]) => unknown): R;
    toBeTypeOf(type: string): R;
    toSatisfy(check: (value: any) => boolean): R;
    toThrow(expected?: string | RegExp | Error | (abstract new (...args: any[]) => Error)): R;
    toThrowError(expected?: string | RegExp | Error | (abstract new (...args: any[]) => Error)): R;
    toHaveBeenCalled(): R;
    toHaveBeenCalledTimes(times: number): R;
    toHaveBeenCalledWith(...args: unknown[]): R;
    toHaveBeenLastCalledWith(...args: unknown[]): R;
    toHaveBeenNthCalledWith(nth: number, ...args: unknown[]): R;
    toHaveReturnedWith(value: unknown): R;
    toMatchSnapshot(hint?: string): R;
    toMatchInlineSnapshot(snapshot?: string): R;
  }

  export interface Expect {
    (value: unknown, message?: string): Matchers;
    any(type: unknown): any;
    anything(): any;
    arrayContaining(items: readonly unknown[]): any;
    objectContaining(part: object): any;
    stringContaining(part: string): any;
    stringMatching(pattern: string | RegExp): any;
    closeTo(value: number, digits?: number): any;
    readonly not: Pick<Expect, 'arrayContaining' | 'objectContaining' | 'stringContaining' | 'stringMatching'>;
    assertions(count: number): void;
    hasAssertions(): void;
    fail(message?: string): never;
  }

  export const expect: Expect;

  export interface Mock<F extends (...args: any[]) => any = (...args: any[]) => any> {
    (...args: Parameters<F>): ReturnType<F>;
    readonly mock: {
      readonly calls: Parameters<F>[];
      readonly results: { type: 'return' | 'throw'; value: any }[];
    };
    mockReturnValue(value: ReturnType<F>): this;
    mockReturnValueOnce(value: ReturnType<F>): this;
    mockResolvedValue(value: Awaited<ReturnType<F>>): this;
    mockResolvedValueOnce(value: Awaited<ReturnType<F>>): this;
    mockRejectedValue(reason: unknown): this;
    mockRejectedValueOnce(reason: unknown): this;
    mockImplementation(body: F): this;
    mockImplementationOnce(body: F): this;
    mockClear(): this;
    mockReset(): this;
  }

  export const mock: {
    /** A function that writes down how it is called. */
    fn<F extends (...args: any[]) => any = (...args: any[]) => any>(body?: F): Mock<F>;
  };

  /** Who calls: a role of the package's defaultRoleGrants, or a whole session. */
  export type Caller = string | Session;

  export interface LogEntry {
    level: 'trace' | 'debug' | 'info' | 'warn' | 'error';
    message: string;
    fields?: Record<string, any>;
  }

  export interface AuditEntry {
    package: string;
    tier: string;
    method: string;
    path: string;
    [more: string]: unknown;
  }

  /** The host that the package under test runs on: a real one, fresh for each test file. */
  export interface TestHost {
    /** Calls a tool through every check that a client's call passes. */
    callTool<Structured = any>(name: string, args?: unknown, options?: { as?: Caller }): Promise<ToolResult<Structured> & { content: any[] }>;
    /** Calls a route of the package. */
    callRoute<Body = any>(method: string, path: string, options?: { query?: Record<string, string>; headers?: Record<string, string>; body?: unknown; as?: Caller }): Promise<RouteAnswer<Body>>;
    /** The package's data folder. */
    readonly data: {
      read(path: string): Promise<string | null>;
      write(path: string, text: string): Promise<void>;
      list(folder?: string): Promise<string[]>;
    };
    readonly credentials: { set(id: string, value: string | null, scope?: 'agent' | 'project' | 'user' | 'global'): Promise<void> };
    readonly config: { set(key: string, value: unknown): Promise<void> };
    /** What callRoute reaches outside of the package. */
    readonly routes: { mock(pattern: string, answer: { status?: number; headers?: Record<string, string>; body?: unknown }): Promise<void> };
    /** What fetch reaches. */
    readonly fetch: { mock(url: string, answer: { status?: number; headers?: Record<string, string>; body?: unknown; error?: string }): Promise<void> };
    /** The clock that the package sees, timers included. */
    readonly clock: {
      freeze(at?: string | number | Date): Promise<void>;
      advance(milliseconds: number): Promise<void>;
    };
    logs(): Promise<LogEntry[]>;
    audit(): Promise<AuditEntry[]>;
    /** Changes the limits of the package's tier. */
    limits(limits: { toolsPerMinute?: number; routesPerMinute?: number; deadlineMs?: number; memoryMiB?: number }): Promise<void>;
    /** Loads the package again, as a new version would be. */
    reload(): Promise<void>;
    /** Loads the package at another trust tier. */
    trust(tier: 'first-party' | 'trusted' | 'untrusted'): Promise<void>;
    /** A skill's text with its tokens replaced. */
    renderSkill(name: string): Promise<string>;
  }

  export const host: TestHost;

  /**
   * Fails the type check unless a package's copy of another's API has the same shape as the API
   * itself. Does nothing when run.
   */
  export function assertApiMirror<Api, Mirror extends [Api] extends [Mirror] ? unknown : never>(): void;
}
