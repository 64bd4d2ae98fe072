// Configuration and credentials.

import { hostAbout } from './host.ts';
import { logger } from './logger.ts';

export const config = {
  /** A setting's value. Throws for a key the package has not declared, and below first-party trust. */
  get<T = unknown>(key: string): T {
    return hostAbout<T>('config.get', 'key', key);
  },
};

export const credentials = {
  /** The secret with this id, nearest scope first, or undefined. Never throws. */
  async resolveCredential(id: string): Promise<string | undefined> {
    try {
      return hostAbout<string | null>('credentials.resolve', 'id', id) ?? undefined;
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
