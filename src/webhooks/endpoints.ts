import { now } from '../platform/database/columns.ts';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { AppError, invalidField, notFound } from '../platform/errors.ts';
import { listening } from '../platform/events/listening.ts';
import { subjectLock } from '../platform/ledger/locks.ts';
import { changeRate, drainPool, endpointPool, poolOf, setPool } from '../platform/ledger/pools.ts';
import type { OwnTx, TenantTx } from '../platform/ledger/tx.ts';
import { list, type Page } from '../platform/listing/paging.ts';
import type { Secrets } from '../platform/secrets.ts';
import { type Ordering, WebhookEndpoint } from './endpoint.entity.ts';
import { newSecret } from './signature.ts';

const columns = [
  'id',
  'url',
  'event_types',
  'description',
  'headers',
  'rate_limit',
  'ordering',
  'enabled',
  'disabled_reason',
  'disabled_at',
  'failing_since',
  'previous_secret_until',
  'created_at',
  'updated_at',
] as const;
export type EndpointRow = RowOf<typeof WebhookEndpoint, (typeof columns)[number]>;
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
export const endpointWidth = 10;

/** Held by every change of an endpoint, and the lane of its operations. */
export const endpointLock = (endpointId: string) => subjectLock('webhook_endpoint', endpointId);

export const poolsOf = (organizationId: string, endpointId: string) =>
  [endpointPool(endpointId), drainPool(endpointId)].map((pool) => poolOf(organizationId, pool));

const countEndpoints = statement((select) =>
  select(WebhookEndpoint)
    .select((endpoints) => endpoints.fn.countAll<string>().as('total'))
    .where('deleted_at', 'is', null),
);
const endpointById = statement((select, { id }: { id: string }) =>
  select(WebhookEndpoint).select(columns).where('id', '=', id).where('deleted_at', 'is', null),
);
const endpoints = list((select, _: object) => select(WebhookEndpoint).select(columns).where('deleted_at', 'is', null));

export const listEndpoints = (own: Own, page: Page) => endpoints(own, {}, page);

/** Undefined for a deleted one too. */
export async function findEndpoint(own: Own, id: string): Promise<EndpointRow | undefined> {
  const [row] = await endpointById(own, { id });
  return row;
}

/** The same; throws 404. */
export async function getEndpoint(own: Own, id: string): Promise<EndpointRow> {
  const row = await findEndpoint(own, id);
  if (!row) throw notFound('Webhook endpoint');
  return row;
}

/** For a change. Needs the endpoint's lock. Undefined for a deleted one too. */
export async function lockedEndpoint(tx: OwnTx, id: string) {
  tx.assertLocked(endpointLock(id));
  return tx.findOne(WebhookEndpoint, { id, deleted_at: null });
}

/** The same; throws 404. */
export async function endpointToChange(tx: OwnTx, id: string) {
  const endpoint = await lockedEndpoint(tx, id);
  if (!endpoint) throw notFound('Webhook endpoint');
  return endpoint;
}

export const sealHeaders = (secrets: Secrets, headers: Record<string, string>) =>
  Object.keys(headers).length > 0 ? secrets.seal(JSON.stringify(headers)) : null;

export const openHeaders = (secrets: Pick<Secrets, 'open'>, sealed: string | null): Record<string, string> =>
  sealed === null ? {} : JSON.parse(secrets.open(sealed));

export async function createEndpoint(
  { em, own }: TenantTx,
  { url, eventTypes, description, headers = {}, rateLimit, ordering }: NewEndpoint,
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
  const secret = newSecret();
  const row = own.create(WebhookEndpoint, {
    url,
    ...listening(eventTypes),
    description,
    headers: sealHeaders(secrets, headers),
    rate_limit: rateLimit ?? null,
    ordering,
    enabled: true,
    secret: secrets.seal(secret),
    previous_secret: null,
    previous_secret_until: null,
    disabled_reason: null,
    disabled_at: null,
    failing_since: null,
    deleted_at: null,
  });
  // The reply shows the database's times.
  await own.flush();
  await setPool(em, poolOf(own.organizationId, endpointPool(row.id)), endpointWidth, row.rate_limit);
  return { ...row, secret };
}

export type EndpointChange = {
  url?: string;
  eventTypes?: string[];
  description?: string;
  /** By name, whatever its case; null removes one. Null in place of all: every header is removed. */
  headers?: Record<string, string | null> | null;
  rateLimit?: number | null;
  ordering?: Ordering;
};

export const maxHeaders = 20;

/** A name keeps the spelling it was given last. Undefined: more than `maxHeaders` would be left. */
export function mergedHeaders(
  known: Record<string, string>,
  change: Record<string, string | null> | null,
): Record<string, string> | undefined {
  if (change === null) return {};
  const changed = new Set(Object.keys(change).map((name) => name.toLowerCase()));
  const others = Object.entries(known).filter(([name]) => !changed.has(name.toLowerCase()));
  const given = Object.entries(change).filter((header): header is [string, string] => header[1] !== null);
  const merged = [...others, ...given];
  return merged.length > maxHeaders ? undefined : Object.fromEntries(merged);
}

/**
 * What waits to be delivered goes to the new url, with the new headers, at the new pace, from its next attempt on. What stands in a lane
 * stays in it: a new ordering is that of later events. Needs the endpoint's lock. Throws 404, 422.
 */
export async function changeEndpoint(
  { em, own }: TenantTx,
  id: string,
  { url, eventTypes, description, headers, rateLimit, ordering }: EndpointChange,
  secrets: Secrets,
): Promise<EndpointRow> {
  const endpoint = await endpointToChange(own, id);
  // Another receiver: what the one before did wrong is not its own.
  if (url !== undefined && url !== endpoint.url) Object.assign(endpoint, { url, failing_since: null, failing_told_at: null });
  if (eventTypes !== undefined) Object.assign(endpoint, listening(eventTypes));
  if (description !== undefined) endpoint.description = description;
  if (headers !== undefined) {
    const merged = mergedHeaders(openHeaders(secrets, endpoint.headers), headers);
    if (!merged) throw invalidField('headers', `An endpoint has at most ${maxHeaders} headers of its own`, 'limit');
    endpoint.headers = sealHeaders(secrets, merged);
  }
  if (rateLimit !== undefined) endpoint.rate_limit = rateLimit;
  if (ordering !== undefined) endpoint.ordering = ordering;
  endpoint.updated_at = now();
  await own.flush();
  if (rateLimit !== undefined) await changeRate(em, poolsOf(own.organizationId, id), rateLimit);
  return endpoint;
}
