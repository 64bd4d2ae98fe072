// The context objects: one for handlers, a smaller one for init. They are made anew for every
// call, because the session and the cancellation are the call's.

import { AbortController, type AbortSignal } from '../web/abort.ts';
import { DOMException } from '../web/domexception.ts';
import { callRoute, getPackageApi } from './calls.ts';
import { config, credentials } from './config.ts';
import { data } from './data.ts';
import { cancellation, onCancel } from './host.ts';
import { logger } from './logger.ts';
import { mcpPort, type McpOffer } from './mcp.ts';

/** Who a call is made for. Any part may be absent. */
export interface Session {
  userId?: string;
  projectId?: string;
  agentId?: string;
  callerId?: string;
  callerTrust?: string;
  role?: string;
  features?: string[];
}

/** What a package knows of itself. */
export interface PackageInfo {
  id: string;
  version: string;
}

/** What init is given: no session, since it may run for any. */
export function initContext(self: PackageInfo) {
  return { package: self, data, credentials, config, logger, getPackageApi };
}

/** What tools and routes are given. */
export function handlerContext(self: PackageInfo, session: Session, state: unknown, mcp: McpOffer | undefined) {
  let signal: AbortSignal | undefined;
  return {
    package: self,
    session: Object.freeze(session),
    state,
    data,
    credentials,
    config,
    logger,
    callRoute,
    getPackageApi,
    mcp: mcp && mcpPort(mcp),
    /** Aborted when the host cancels the call. Made when first asked for. */
    get signal() {
      return (signal ??= cancellationSignal());
    },
  };
}

function cancellationSignal(): AbortSignal {
  const controller = new AbortController();
  const abort = (reason: string) => controller.abort(new DOMException(reason, 'AbortError'));
  const already = cancellation();
  if (already === undefined) onCancel(abort);
  else abort(already);
  return controller.signal;
}
