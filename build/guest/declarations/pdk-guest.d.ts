// Types of '@neuralis/package-system/pdk-guest': what tools and routes are given and what they
// return, and the plug-in's own input, configuration, variables and HTTP.

declare module '@neuralis/package-system/pdk-guest' {
  import type { PackageInfo, PackageInitContext, Session } from '@neuralis/package-system';

  export type { AppenderOptions, ConfigPort, CredentialsPort, DataPort, FileStore, JsonlAppender, Logger, PackageApi, PackageInfo, Session } from '@neuralis/package-system';

  /**
   * What every tool and every route is given.
   *
   * State is what the package's init returns; name it to have it checked:
   * `ctx: PdkContext<Awaited<ReturnType<typeof init>>>`.
   */
  export interface PdkContext<State = any> extends PackageInitContext {
    readonly package: PackageInfo;
    /** Who the call is made for. */
    readonly session: Session;
    /** What init returned. */
    readonly state: State;
    /** Aborted when the host gives up on the call. */
    readonly signal: AbortSignal;
    /** There when an MCP client is calling. */
    readonly mcp?: McpPort;
    /**
     * Calls a route of the project as the current caller, through every check that a call from
     * outside passes. For trusted packages; others are refused.
     */
    callRoute(method: string, path: string, options?: CallRouteOptions): Promise<RouteAnswer>;
  }

  export interface CallRouteOptions {
    query?: Record<string, string>;
    headers?: Record<string, string>;
    /** Text and bytes are sent as they are, anything else as JSON. */
    body?: unknown;
  }

  /** The answer of a route that was called. */
  export interface RouteAnswer<Body = any> {
    status: number;
    headers: Record<string, string>;
    /** The value when the answer is JSON, else the text. */
    body: Body;
    rawBody: string;
    /** The bytes, when the answer was not text. */
    bodyBytes?: Uint8Array;
  }

  /** What the MCP client that is calling can be told and asked. Each call waits for the host. */
  export interface McpPort {
    /** Says how far the call is. */
    progress(progress: number, total?: number, message?: string): Promise<void>;
    /** Sends a log message to the client. */
    log(level: McpLogLevel, data: unknown, logger?: string): Promise<void>;
    /** Asks the client's model for a message. There when the client offers it. */
    sample?(params: McpSampleParams): Promise<McpSampleResult>;
    /** Asks the person at the client. There when the client offers it. */
    elicit?(params: McpElicitParams): Promise<McpElicitResult>;
  }

  export type McpLogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

  export interface McpSampleParams {
    messages: { role: 'user' | 'assistant'; content: ContentBlock | ContentBlock[] }[];
    maxTokens: number;
    systemPrompt?: string;
    temperature?: number;
    stopSequences?: string[];
    [more: string]: unknown;
  }

  export interface McpSampleResult {
    role: 'user' | 'assistant';
    content: ContentBlock;
    model: string;
    stopReason?: string;
    [more: string]: unknown;
  }

  export interface McpElicitParams {
    message: string;
    /** A flat JSON Schema of what is asked for. */
    requestedSchema: Record<string, unknown>;
    [more: string]: unknown;
  }

  export interface McpElicitResult {
    action: 'accept' | 'decline' | 'cancel';
    content?: Record<string, unknown>;
  }

  /** What a route is asked. */
  export interface RouteRequest<Body = any, Params extends Record<string, string> = Record<string, string>> {
    /** In upper case. */
    method: string;
    /** The path as it was sent, percent-encoded, without a leading slash. */
    path: string;
    /** The values of the pattern's parameters, decoded. */
    params: Params;
    /** The query, decoded, one value for each name; rawQuery has them all. */
    query: Record<string, string>;
    /** The query as it was sent, without the question mark. */
    rawQuery: string;
    /** By names in lower case. */
    headers: Record<string, string>;
    /** The value when the request says that it is JSON, else the text. */
    body: Body;
    /** The body as text. */
    readonly rawBody: string;
    /** The body as it was sent. */
    readonly bodyBytes: Uint8Array;
  }

  /** What a route answers. A Response does as well. */
  export interface RouteResponse {
    /** 200 when there is a body, else 204. */
    status?: number;
    /** A list gives the header several values. */
    headers?: Record<string, string | number | string[]> | [string, string][] | Headers;
    /** Text and bytes are sent as they are, anything else as JSON. */
    body?: unknown;
  }

  /** One piece of a tool's answer, as in the Model Context Protocol. */
  export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceContent | ResourceLink;

  export interface TextContent {
    type: 'text';
    text: string;
    _meta?: Record<string, unknown>;
  }
  export interface ImageContent {
    type: 'image';
    /** Base64. */
    data: string;
    mimeType: string;
    _meta?: Record<string, unknown>;
  }
  export interface AudioContent {
    type: 'audio';
    /** Base64. */
    data: string;
    mimeType: string;
    _meta?: Record<string, unknown>;
  }
  export interface ResourceContent {
    type: 'resource';
    resource: { uri: string; mimeType?: string; text?: string; blob?: string; _meta?: Record<string, unknown> };
    _meta?: Record<string, unknown>;
  }
  export interface ResourceLink {
    type: 'resource_link';
    uri: string;
    name: string;
    title?: string;
    description?: string;
    mimeType?: string;
    _meta?: Record<string, unknown>;
  }

  /** What a tool answers. Any other JSON value is allowed, and becomes text. */
  export interface ToolResult<Structured = Record<string, unknown>> {
    content: ContentBlock[];
    /** The answer as data, for programs. */
    structuredContent?: Structured;
    /** The call failed in a way that the model should read of. */
    isError?: boolean;
    /** For the client; the model does not see it. */
    _meta?: Record<string, unknown>;
  }

  /** The default export of a tool: `export default ((args, ctx) => …) satisfies ToolHandler<Args>`. */
  export type ToolHandler<Args = any, State = any> = (args: Args, ctx: PdkContext<State>) => unknown;

  /** A route's handler for one method. */
  export type RouteHandler<State = any> = (req: RouteRequest, ctx: PdkContext<State>) => RouteResponse | Response | Promise<RouteResponse | Response>;

  /** An error the host answered with. */
  export interface HostError extends Error {
    readonly name: 'HostError';
    /** One of the host's error codes, such as "unsupported" or "denied". */
    readonly code: string;
  }

  /** The plug-in's input: the JSON of the call. A handler has it already, as its arguments. */
  export const Host: {
    inputString(): string;
    inputBytes(): ArrayBuffer;
  };

  /** The plug-in's configuration, as its Extism host sets it. */
  export const Config: {
    get(key: string): string | null;
  };

  /** Variables that the host keeps from one call of this instance to the next. */
  export const Var: {
    getBytes(name: string): ArrayBuffer | null;
    getString(name: string): string | null;
    set(name: string, value: string | Uint8Array | ArrayBuffer): void;
    delete(name: string): void;
  };

  export interface HttpRequest {
    url: string;
    method?: string;
    headers?: Record<string, string>;
  }

  export interface HttpResponse {
    status: number;
    headers: Record<string, string>;
    /** The body as text. */
    body: string;
    bytes: ArrayBuffer;
  }

  /** One HTTP request, which blocks. fetch does the same with the Web's types. */
  export const Http: {
    request(request: HttpRequest, body?: string | Uint8Array | ArrayBuffer): HttpResponse;
  };
}
