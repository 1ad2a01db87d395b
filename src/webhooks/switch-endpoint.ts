import { now } from '../platform/database/columns.ts';
import type { Own } from '../platform/database/own.ts';
import { endpointDisabled } from '../platform/events/endpoint-events.ts';
import { drainPool, endpointPool, holdPool, letPoolGo, poolOf, setPool } from '../platform/ledger/pools.ts';
import { stateIs } from '../platform/ledger/states.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { Look } from '../platform/ledger/transact.ts';
import type { OwnTx, TenantTx } from '../platform/ledger/tx.ts';
import { type EndpointRow, endpointLock, endpointToChange, endpointWidth, lockedEndpoint, poolsOf } from './endpoints.ts';
import { cancelPendingJob, drainPendingJob, hastenPendingJob, type PendingJob, resumePendingJob } from './pending/jobs.ts';
import { callOffOperations, locksOfOperations, operationsOf } from './replay/of-endpoint.ts';
import { tellOwners } from './tell-owners.ts';

/** What becomes of the deliveries that wait while an endpoint is disabled. */
export const heldPolicies = ['keep', 'release', 'drop'] as const;
export type HeldPolicy = (typeof heldPolicies)[number];

/** A switch ends a spell of failures (health.ts). */
const noSpell = { failing_since: null, failing_told_at: null };

/** `operationId`: more deliveries than a request may change, perhaps. */
export type Switched = { endpoint: EndpointRow; operationId?: string };

/** SQL: a time-ordered id by the clock that makes the deliveries' ids: those that are there now have smaller ones. */
const upToNow = `
  select uuidv7() as id
   where $1::uuid is not null`;

async function askFor(tx: OwnTx, job: PendingJob, endpointId: string): Promise<string> {
  const [upTo] = await tx.sql<{ id: string }>(upToNow);
  return tx.enqueue(job, { endpoint_id: endpointId, up_to: upTo!.id }, { lane: endpointLock(endpointId) });
}

/**
 * Asked of a disabled endpoint it applies the policy to what waits now. `drop` cancels what is pending, `release` still delivers it; events
 * to come are held in any case. Needs the endpoint's lock. Throws 404.
 */
export async function switchOff(tx: TenantTx, id: string, held: HeldPolicy, reason: string): Promise<Switched> {
  const { em, own } = tx;
  const endpoint = await endpointToChange(own, id);
  const [main, drain] = [endpointPool(id), drainPool(id)].map((pool) => poolOf(own.organizationId, pool));
  await holdPool(em, main!, null);
  if (held === 'release') {
    await setPool(em, drain!, endpointWidth, endpoint.rate_limit);
    await letPoolGo(em, drain!);
  } else await holdPool(em, drain!, null);
  if (endpoint.enabled) {
    Object.assign(endpoint, { enabled: false, disabled_reason: reason, disabled_at: now(), updated_at: now(), ...noSpell });
    await own.flush();
    own.emit(endpointDisabled, { endpoint_id: id, reason, organization_id: own.organizationId });
  }
  if (held === 'keep') return { endpoint };
  return { endpoint, operationId: await askFor(own, held === 'drop' ? cancelPendingJob : drainPendingJob, id) };
}

/**
 * `keep`: what was kept goes on, each delivery at its time. `release`: all of them now. `drop`: the pool stays held until they are cancelled,
 * so that none of them gets away. What was still to drain comes back to the pool of the endpoint, and nothing more goes out by the other: each
 * has the whole rate and width. Does nothing to an enabled endpoint. Needs the endpoint's lock. Throws 404.
 */
export async function switchOn(tx: TenantTx, id: string, held: HeldPolicy): Promise<Switched> {
  const { em, own } = tx;
  const endpoint = await endpointToChange(own, id);
  if (endpoint.enabled) return { endpoint };
  Object.assign(endpoint, { enabled: true, disabled_reason: null, disabled_at: null, updated_at: now(), ...noSpell });
  await own.flush();
  await holdPool(em, poolOf(own.organizationId, drainPool(id)), null);
  if (held === 'drop') return { endpoint, operationId: await askFor(own, cancelPendingJob, id) };
  if (!(await isUnderWay(own, cancelPendingJob, id))) await letGo(tx, endpointPool(id));
  const hastening = held === 'release' ? await askFor(own, hastenPendingJob, id) : undefined;
  // After the hastening, which leaves what is under way: that comes back when it has ended.
  const resuming = (await wasDrained(own, id)) ? await askFor(own, resumePendingJob, id) : undefined;
  const operationId = hastening ?? resuming;
  return { endpoint, ...(operationId && { operationId }) };
}

async function letGo({ em, own, dispatch }: TenantTx, id: string) {
  const pool = poolOf(own.organizationId, id);
  await letPoolGo(em, pool);
  dispatch({ pools: [pool] });
}

/**
 * At the end of a job over what is pending. What a later switch drops must not go out first, nor what is still to come back from the other
 * pool: the end of that job lets the pool go.
 */
export async function letEndpointGo(tx: TenantTx, id: string, endedJobId: string): Promise<void> {
  if (await isUnderWay(tx.own, cancelPendingJob, id, endedJobId)) return;
  await letGo(tx, endpointPool(id));
  if (!(await isUnderWay(tx.own, resumePendingJob, id, endedJobId))) await letGo(tx, drainPool(id));
}

/** SQL: the ledger's table. */
async function isUnderWay(own: OwnTx, { name }: PendingJob, id: string, exceptJobId?: string): Promise<boolean> {
  const rows = await own.sql(
    `select 1
       from jobs
      where organization_id = $1 and subject_id = $2 and name = $3 and ${stateIs('state', 'blocked', 'waiting', 'queued')}
        and id is distinct from $4::uuid
      limit 1`,
    [id, name, exceptJobId ?? null],
  );
  return rows.length > 0;
}

/** SQL: as above. */
async function wasDrained(own: OwnTx, id: string): Promise<boolean> {
  const rows = await own.sql(
    `select 1
       from pools
      where organization_id = $1 and id = $2`,
    [drainPool(id)],
  );
  return rows.length > 0;
}

/**
 * Its secrets and headers are erased at once, it hears of nothing more, and what is pending is cancelled by a job. The row stays as long as
 * deliveries refer to it: their history can be read, and a transaction that has just found the endpoint can still commit. `operations`: what
 * `deletionOf` found. Throws 404.
 */
export async function deleteEndpoint(tx: TenantTx, id: string, operations: string[]): Promise<void> {
  const { em, own } = tx;
  const endpoint = await endpointToChange(own, id);
  Object.assign(endpoint, {
    event_types: [],
    event_prefixes: null,
    headers: null,
    secret: '',
    previous_secret: null,
    previous_secret_until: null,
    enabled: false,
    disabled_reason: 'deleted',
    disabled_at: now(),
    deleted_at: now(),
    ...noSpell,
    updated_at: now(),
  });
  await own.flush();
  for (const pool of poolsOf(own.organizationId, id)) await holdPool(em, pool, null);
  await callOffOperations(tx, id, operations, 'the deletion of its webhook endpoint');
  await askFor(own, cancelPendingJob, id);
}

/** The bulk operations under way are called off with it: a paused one would wait for ever. */
export const deletionOf = (own: Own, id: string): Look<string[]> => ({
  look: () => operationsOf(own, id),
  locks: (operations) => [endpointLock(id), ...locksOfOperations(operations)],
});

type Cause = {
  reason: 'gone' | 'failing';
  /** That was tried. One that was changed meanwhile is another receiver's. */
  url: string;
  /** Hours, by the database's clock: only if it has done nothing but fail for the first, and was told of before the second. */
  spell?: { disableAfter: number; notice: number };
};

/**
 * Not by a person: after a 410 Gone, or days of nothing but failures. Deliveries wait until somebody enables the endpoint; its owners get a
 * mail. Of one that is disabled it only stops what `release` still delivers, after a 410. Does nothing to one that is deleted.
 */
export async function disableEndpoint(transact: TenantTransact, endpointId: string, { reason, url, spell }: Cause) {
  await transact({ locks: [endpointLock(endpointId)] }, async (tx) => {
    const endpoint = await lockedEndpoint(tx.own, endpointId);
    if (endpoint?.url !== url) return;
    if (!endpoint.enabled) {
      if (reason === 'gone') await holdPool(tx.em, poolOf(tx.own.organizationId, drainPool(endpointId)), null);
      return;
    }
    if (spell && !(await hasFailedLongEnough(tx.own, endpointId, spell))) return;
    const { failing_since } = endpoint;
    await switchOff(tx, endpointId, 'keep', reason);
    await tellOwners(tx.own, 'endpoint_disabled', { url, failing_since, endpointId, more: { reason } });
  });
}

/** SQL: by the database's clock. */
async function hasFailedLongEnough(
  own: OwnTx,
  id: string,
  { disableAfter, notice }: NonNullable<Cause['spell']>,
): Promise<boolean> {
  const rows = await own.sql(
    `select 1
       from webhook_endpoints
      where organization_id = $1
        and id = $2
        and failing_since <= clock_timestamp() - $3::float8 * interval '1 hour'
        and failing_told_at <= clock_timestamp() - $4::float8 * interval '1 hour'`,
    [id, disableAfter, notice],
  );
  return rows.length > 0;
}
