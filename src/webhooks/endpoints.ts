import { AppError, notFound } from '../platform/errors.ts';
import { endpointDisabled, webhookTest } from '../platform/events/catalogue.ts';
import { uuidv7 } from '../platform/ids.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import { endpointPool, holdPool, setPool } from '../platform/ledger/pools.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { nowDate } from '../platform/time/clock.ts';
import { type Ordering, WebhookEndpoint } from './endpoint.entity.ts';
import { newSecret } from './signature.ts';

export type EndpointRow = {
  id: string;
  url: string;
  event_types: string[];
  description: string;
  rate_limit: number | null;
  ordering: Ordering;
  enabled: boolean;
  created_at: string;
  updated_at: string;
};
export type NewEndpoint = {
  url: string;
  eventTypes: string[];
  description: string;
  headers?: Record<string, string>;
  rateLimit?: number;
  ordering: Ordering;
};

export const mostEndpoints = 50;
/** Requests in flight to one endpoint at most, over all workers. */
const endpointWidth = 10;

export async function createEndpoint(
  tx: Tx,
  organizationId: string,
  endpoint: NewEndpoint,
  secrets: Secrets,
): Promise<EndpointRow & { secret: string }> {
  const id = uuidv7();
  const secret = newSecret();
  // The organization's row is locked, so that two requests at once cannot both be the fiftieth.
  await tx.query('select 1 from organizations where id = $1 for no key update', [organizationId]);
  const [count] = await tx.query<{ total: number }>(
    'select count(*)::int as total from webhook_endpoints where organization_id = $1',
    [organizationId],
  );
  if ((count?.total ?? 0) >= mostEndpoints)
    throw new AppError('limit_reached', `An organization has at most ${mostEndpoints} webhook endpoints`);
  const at = nowDate().toISOString();
  await tx.em.insert(WebhookEndpoint, {
    id,
    organization_id: organizationId,
    url: endpoint.url,
    event_types: [...new Set(endpoint.eventTypes)],
    description: endpoint.description,
    headers: endpoint.headers ? secrets.seal(JSON.stringify(endpoint.headers)) : null,
    rate_limit: endpoint.rateLimit ?? null,
    ordering: endpoint.ordering,
    secret: secrets.seal(secret),
    created_at: at,
    updated_at: at,
  });
  await setPool(tx.em, endpointPool(id), endpointWidth, endpoint.rateLimit ?? null);
  const { url, eventTypes, description, rateLimit, ordering } = endpoint;
  return {
    id,
    url,
    event_types: [...new Set(eventTypes)],
    description,
    rate_limit: rateLimit ?? null,
    ordering,
    enabled: true,
    secret,
    created_at: at,
    updated_at: at,
  };
}

/** The lock `testEndpoint` needs. */
export const endpointLock = (endpointId: string) => subjectLock('webhook_endpoint', endpointId);

/** Sends a test whatever the endpoint subscribes to, tried once. Returns the operation to follow. */
export async function testEndpoint(tx: Tx, organizationId: string, endpointId: string): Promise<string> {
  const [row] = await tx.query<{ enabled: boolean }>(
    'select enabled from webhook_endpoints where organization_id = $1 and id = $2',
    [organizationId, endpointId],
  );
  if (!row) throw notFound('Webhook endpoint');
  if (!row.enabled) throw new AppError('endpoint_disabled', 'The webhook endpoint is disabled');
  const jobId = uuidv7();
  tx.emit(
    webhookTest,
    { endpoint_id: endpointId, organization_id: organizationId },
    { organizationId, test: { endpointId, jobId } },
  );
  return jobId;
}

/** The receiver said it is gone (410). Its deliveries wait in the held pool until somebody enables it. */
export async function disableEndpoint(transact: Transact, organizationId: string, endpointId: string, reason: string) {
  await transact({ locks: [endpointLock(endpointId)] }, async (tx) => {
    const changed = await tx.query(
      'update webhook_endpoints set enabled = false, disabled_reason = $3, updated_at = clock_timestamp() where organization_id = $1 and id = $2 and enabled returning id',
      [organizationId, endpointId, reason],
    );
    await holdPool(tx.em, endpointPool(endpointId), null);
    if (changed.length > 0)
      tx.emit(endpointDisabled, { endpoint_id: endpointId, reason, organization_id: organizationId }, { organizationId });
  });
}
