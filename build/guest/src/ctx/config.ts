// Configuration and credentials.

import { host } from './host.ts';
import { logger } from './logger.ts';

export const config = {
  /** A setting's value. Throws for a key the package has not declared, and below first-party trust. */
  get<T = unknown>(key: string): T {
    return host<T>({ op: 'config.get', key } as { op: string });
  },
};

export const credentials = {
  /** The secret with this id, nearest scope first, or undefined. Never throws. */
  async resolveCredential(id: string): Promise<string | undefined> {
    try {
      return host<string | null>({ op: 'credentials.resolve', id } as { op: string }) ?? undefined;
    } catch (error) {
      logger.debug(`credential ${id} cannot be resolved`, { error });
      return undefined;
    }
  },
  /** Reserved: in the sandbox no kind resolves to anything. */
  async resolveForKind(_kind: string): Promise<Record<string, string>> {
    return {};
  },
};
