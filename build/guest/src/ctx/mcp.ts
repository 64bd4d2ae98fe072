// ctx.mcp: what an MCP client that is calling offers. Present only then; sample and elicit
// only where the client can do them.

import { host } from './host.ts';

/** What the client can do, as the host says. */
export interface McpOffer {
  sample?: boolean;
  elicit?: boolean;
}

export function mcpPort(offer: McpOffer) {
  return {
    /** Tells the client how far the call is. */
    async progress(progress: number, total?: number, message?: string): Promise<void> {
      host({ op: 'mcp.progress', progress, total, message } as { op: string });
    },
    /** Sends the client a log message. */
    async log(level: string, data: unknown, logger?: string): Promise<void> {
      host({ op: 'mcp.log', level, data, logger } as { op: string });
    },
    sample: offer.sample ? async (params: object): Promise<unknown> => host({ op: 'mcp.sample', params } as { op: string }) : undefined,
    elicit: offer.elicit ? async (params: object): Promise<unknown> => host({ op: 'mcp.elicit', params } as { op: string }) : undefined,
  };
}
