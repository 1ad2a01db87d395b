import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { endpointDisabled, webhookTest } from '../platform/events/catalogue.ts';
import { uuidv7 } from '../platform/ids.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import { endpointPool, holdPool, poolOf, setPool } from '../platform/ledger/pools.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { OwnTx, TenantTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { nowDate } from '../platform/time/clock.ts';
import { type Ordering, WebhookEndpoint } from './endpoint.entity.ts';
import { newSecret } from './signature.ts';
import { tellOwners } from './tell-owners.ts';

export type EndpointRow = RowOf<
  typeof WebhookEndpoint,
  'id' | 'url' | 'event_types' | 'description' | 'rate_limit' | 'ordering' | 'enabled' | 'created_at' | 'updated_at'
>;
export type NewEndpoint = {
  url: string;
  eventTypes: string[];
  description: string;
  headers?: Record<string, string>;
  rateLimit?: number;
  ordering: Ordering;
};

export const maxEndpoints = 50;
/** Concurrent requests to one endpoint, over all workers. */
const endpointWidth = 10;

const countEndpoints = statement((select) =>
  select(WebhookEndpoint).select((endpoints) => endpoints.fn.countAll<string>().as('total')),
);

export async function createEndpoint(
  { em, own }: TenantTx,
  { url, eventTypes, description, headers, rateLimit, ordering }: NewEndpoint,
  secrets: Secrets,
): Promise<EndpointRow & { secret: string }> {
  // SQL: a row lock on the organization, so that concurrent requests cannot exceed `maxEndpoints`.
  await own.sql(
    `select 1
       from organizations
      where id = $1
        for no key update`,
  );
  const [count] = await countEndpoints(own, {});
  if (Number(count?.total) >= maxEndpoints)
    throw new AppError('limit_reached', `An organization has at most ${maxEndpoints} webhook endpoints`);
  const at = nowDate().toISOString();
  const secret = newSecret();
  const row = {
    id: uuidv7(),
    url,
    event_types: [...new Set(eventTypes)],
    description,
    rate_limit: rateLimit ?? null,
    ordering,
    enabled: true,
    created_at: at,
    updated_at: at,
  };
  await own.insert(WebhookEndpoint, {
    ...row,
    headers: headers ? secrets.seal(JSON.stringify(headers)) : null,
    secret: secrets.seal(secret),
    disabled_reason: null,
  });
  await setPool(em, poolOf(own.organizationId, endpointPool(row.id)), endpointWidth, row.rate_limit);
  return { ...row, secret };
}

export const endpointLock = (endpointId: string) => subjectLock('webhook_endpoint', endpointId);

const isEnabled = statement((select, { id }: { id: string }) => select(WebhookEndpoint).select('enabled').where('id', '=', id));

/** One attempt, whatever the endpoint subscribes to. Returns the operation's id. */
export async function testEndpoint(tx: OwnTx, endpointId: string): Promise<string> {
  const [row] = await isEnabled(tx, { id: endpointId });
  if (!row) throw notFound('Webhook endpoint');
  if (!row.enabled) throw new AppError('endpoint_disabled', 'The webhook endpoint is disabled');
  const jobId = uuidv7();
  const data = { endpoint_id: endpointId, organization_id: tx.organizationId };
  tx.emit(webhookTest, data, { test: { endpointId, jobId } });
  return jobId;
}

type Disabled = RowOf<typeof WebhookEndpoint, 'url' | 'failing_since'>;

/** After a 410 Gone, or after `afterDays` of nothing but failures. Deliveries wait in the held pool until somebody enables the endpoint. */
export async function disableEndpoint(
  transact: TenantTransact,
  endpointId: string,
  { reason, afterDays }: { reason: 'gone' | 'failing'; afterDays?: number },
) {
  await transact({ locks: [endpointLock(endpointId)] }, async ({ em, own }) => {
    // SQL: by the database's clock; gives what the spell was, which ends here.
    const [disabled] = await own.sql<Disabled>(
      `update webhook_endpoints
          set enabled = false, disabled_reason = $3, failing_since = null, failing_told_at = null, updated_at = clock_timestamp()
        where organization_id = $1
          and id = $2
          and enabled
          and ($4::float8 is null or failing_since <= clock_timestamp() - $4::float8 * interval '1 day')
       returning url, old.failing_since`,
      [endpointId, reason, afterDays ?? null],
    );
    if (!disabled) return;
    await holdPool(em, poolOf(own.organizationId, endpointPool(endpointId)), null);
    own.emit(endpointDisabled, { endpoint_id: endpointId, reason, organization_id: own.organizationId });
    await tellOwners(own, 'endpoint_disabled', { ...disabled, endpointId, more: { reason } });
  });
}
