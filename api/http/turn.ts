import type { Response } from 'express';
import { type Caller, noOrganization } from '../../src/organizations/caller.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { crowd } from '../../src/platform/load/busy.ts';
import type { AnyEndpoint } from './endpoint.ts';

type Of = Pick<AnyEndpoint, 'method' | 'operationId' | 'isRead'> & { receive?: unknown };

export const isReading = ({ method, isRead }: Of): boolean => isRead ?? method === 'get';

/**
 * Runs a request on behalf of its organization, or of its endpoint where the caller has none: a request that writes waits for its turn, unless its body
 * is still to come. Throws 503.
 */
export function inItsTurn(database: Database, endpoint: Of, res: Response, work: () => Promise<void>): Promise<void> {
  const caller = res.locals.caller as Caller | undefined;
  const isTenant = caller !== undefined && caller.organizationId !== noOrganization;
  if (isTenant) crowd.met(caller.organizationId);
  const hasTurn = isTenant && !isReading(endpoint) && !endpoint.receive;
  return database.onBehalfOf(
    caller?.organizationId ?? endpoint.operationId,
    hasTurn ? () => database.inWriteTurn(work) : work,
    () => res.closed,
  );
}
