// Types of '@neuralis/package-system': what a package's lifecycle and its handlers are given.
// The module has no values; import from it with `import type`.

declare module '@neuralis/package-system' {
  /** Who a call is made for. The host fills it in; a part that does not apply is absent. */
  export interface Session {
    readonly userId?: string;
    readonly projectId?: string;
    readonly agentId?: string;
    /** Who is calling on the user's behalf: an agent, another package, a person. */
    readonly callerId?: string;
    readonly callerTrust?: 'first-party' | 'trusted' | 'untrusted';
    readonly role?: string;
    /** The permissions the caller has, such as "catalog.read". */
    readonly features?: readonly string[];
  }

  /** What a package knows of itself. */
  export interface PackageInfo {
    readonly id: string;
    readonly version: string;
  }

  /** A value that survives a trip through JSON. */
  export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

  /** The package's own files. Nothing outside of its data folder can be reached. */
  export interface DataPort {
    /**
     * The path of a file in the package's data folder, as the host sees it. Touches no disk.
     * Throws for an absolute path and for one that leads out of the folder.
     */
    dataPath(relativePath: string): string;
    /** A writer of logs with one JSON value on each line. */
    jsonlAppender(options?: AppenderOptions): JsonlAppender;
    /** A store of records in a subfolder: one JSON file for each. */
    fileStore<T = any>(subfolder: string): FileStore<T>;
  }

  export interface AppenderOptions {
    /** Begin a new file when this size is reached, in bytes; the old ones become .1, .2 and so on. */
    maxBytes?: number;
    /** How many old files to keep. */
    keep?: number;
  }

  export interface JsonlAppender {
    /** Adds one line. Lines of one instance keep their order; folders are made as needed. */
    append(path: string, value: unknown): Promise<void>;
    /** The newest values, the newest first, from the file and then from older ones. */
    readNewest<T = any>(path: string, count: number): Promise<T[]>;
  }

  /** Records by id. Each is replaced whole or not at all, whatever happens meanwhile. */
  export interface FileStore<T> {
    /** The record, or null. Throws when the file is there but is no JSON: it is never overwritten. */
    get(id: string): Promise<T | null>;
    /** Every record. */
    list(): Promise<T[]>;
    /** Writes a record. */
    put(id: string, value: T): Promise<void>;
    /** Removes a record; says whether there was one. */
    delete(id: string): Promise<boolean>;
    exists(id: string): Promise<boolean>;
    /**
     * Changes a record while nobody else can. The function is given the record, or null when there
     * is none, and returns the new one at once: it cannot be async. Returning undefined leaves
     * everything as it was.
     *
     * @returns the record as it is stored now
     */
    update(id: string, change: (old: T | null) => T): Promise<T>;
    update(id: string, change: (old: T | null) => T | undefined): Promise<T | null>;
  }

  /** Secrets that the package's manifest declares. */
  export interface CredentialsPort {
    /** The secret: the agent's, else the project's, else the user's, else the global one; undefined when there is none. Never throws. */
    resolveCredential(id: string): Promise<string | undefined>;
    /** Reserved. In the sandbox the answer is always empty. */
    resolveForKind(kind: string): Promise<Record<string, string>>;
  }

  export interface ConfigPort {
    /** The value of a setting. Throws for a key the manifest does not declare, and below first-party trust. */
    get<T = any>(key: string): T;
  }

  /** The package's log. A log call never throws, whatever it is given. */
  export interface Logger {
    trace(message: string, fields?: Record<string, unknown>): void;
    debug(message: string, fields?: Record<string, unknown>): void;
    info(message: string, fields?: Record<string, unknown>): void;
    warn(message: string, fields?: Record<string, unknown>): void;
    error(message: string | Error, fields?: Record<string, unknown>): void;
    /** The lowest level that the plug-in's host keeps. */
    readonly level: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'silent';
  }

  /** Another package's API as it looks from here: arguments and results travel as JSON, so every method is async. */
  export type PackageApi<T = Record<string, (...args: any[]) => any>> = {
    [K in keyof T as T[K] extends (...args: any[]) => any ? K : never]: T[K] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;
  };

  /** What init is given. There is no session: what init makes serves every caller. */
  export interface PackageInitContext {
    readonly package: PackageInfo;
    readonly data: DataPort;
    readonly credentials: CredentialsPort;
    readonly config: ConfigPort;
    readonly logger: Logger;
    /** The API another package exports from its lifecycle, called for the session's user. */
    getPackageApi<T = Record<string, (...args: any[]) => any>>(packageId: string, session: Session): PackageApi<T>;
  }

  /**
   * The exports of src/lifecycle.ts, for checking them as a whole:
   * `import * as lifecycle from './lifecycle'; lifecycle satisfies Lifecycle<State>`.
   */
  export interface Lifecycle<State = any> {
    /** Makes the state that every other export and every handler is given. Runs once for each instance, at its first call. */
    init(ctx: PackageInitContext): State | Promise<State>;
    /** What other packages may call. */
    api?(state: State): object;
    start?(state: State): unknown;
    stop?(state: State): unknown;
    onBootstrapComplete?(state: State, info: any): unknown;
    provisionProject?(state: State, projectId: string): unknown;
    deprovisionProject?(state: State, projectId: string): unknown;
    revokePrincipal?(state: State, principal: any): unknown;
  }
}
