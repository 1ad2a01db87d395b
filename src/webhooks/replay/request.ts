import { type SqlBool, sql } from 'kysely';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError, invalidField, notFound } from '../../platform/errors.ts';
import { eventTypes } from '../../platform/events/catalogue.ts';
import { webhookTest } from '../../platform/events/endpoint-events.ts';
import { typesMatching, wildcards } from '../../platform/events/listening.ts';
import { firstIdAt, uuidv7 } from '../../platform/ids.ts';
import { Job } from '../../platform/ledger/jobs.entity.ts';
import { ensureSharedPool } from '../../platform/ledger/pools.ts';
import type { OwnTx, TenantTx } from '../../platform/ledger/tx.ts';
import { assertKept } from '../../platform/retention/kept.ts';
import { endpointLock, findEndpoint } from '../endpoints.ts';
import { recoverDays } from '../schedule.ts';
import { replayJobs, replayPool, replayPoolWidth } from './jobs.ts';
import { type ReplayKind, WebhookReplay } from './replay.entity.ts';

export type ReplayRequest = {
  endpointId: string;
  kind: ReplayKind;
  since?: Date;
  until?: Date;
  /** Of a `replay`, wildcards too; default: what the endpoint listens to. */
  eventTypes?: string[];
};

/** Each is a row that the worker comes back to. */
export const maxOpenReplays = 20;

const hourMs = 3600 * 1000;
const dayMs = 24 * hourMs;
const nil = '00000000-0000-0000-0000-000000000000';

/** What may be replayed: a test is sent to one endpoint, because somebody asked for it. */
export const replayableTypes = eventTypes.filter((type) => type !== webhookTest.type);

const typesNamed = (patterns: string[]) => typesMatching(patterns, replayableTypes);
/** What a replay may name: these types, and wildcards that match one of them. */
export const replayablePatterns = [...replayableTypes, ...wildcards.filter((wildcard) => typesNamed([wildcard]).length > 0)];

async function assertRange(tx: OwnTx, request: ReplayRequest, nowMs: number, retentionDays: number): Promise<void> {
  const { kind, since, until } = request;
  if (since && since.getTime() > nowMs) throw invalidField('since', 'since is in the future');
  if (until && until.getTime() > nowMs) throw invalidField('until', 'until is in the future');
  const asked = since?.toISOString();
  if (kind !== 'recover') assertKept(asked, retentionDays, { what: 'Events', location: 'body' });
  else if (since && !(await hasOlderFailed(tx, request.endpointId, nowMs - retentionDays * dayMs)))
    assertKept(asked, Math.max(retentionDays, recoverDays), { what: 'Failed deliveries', location: 'body' });
  if (since && until && until <= since) throw invalidField('until', 'until must be later than since');
}

/**
 * SQL: one look at an index. A delivery is kept from its end on, with its event: one that was held while its endpoint was disabled, or whose
 * attempts took days, is older than the retention of events.
 */
const olderFailedStatement = `
  select 1
    from webhook_deliveries d
   where d.organization_id = $1 and d.endpoint_id = $2 and d.state = 'failed' and not d.is_test and d.id < $3
   limit 1`;

const hasOlderFailed = async (tx: OwnTx, endpointId: string, beforeMs: number) =>
  (await tx.sql(olderFailedStatement, [endpointId, firstIdAt(beforeMs)])).length > 0;

const openReplays = statement((select) =>
  select(WebhookReplay)
    .select(['id', 'endpoint_id', 'kind', 'since', 'until', 'event_types'])
    .where(sql<SqlBool>`state <> 'ended'`),
);
const jobOfReplay = statement((select, { id }: { id: string }) =>
  select(Job).select(['id', 'state']).where('subject_id', '=', id),
);

const isSame = (
  row: Awaited<ReturnType<typeof openReplays>>[number],
  { endpointId, kind, since, until }: ReplayRequest,
  types: string[] | null,
) =>
  row.endpoint_id === endpointId &&
  row.kind === kind &&
  isSameTime(row.since, since) &&
  isSameTime(row.until, until) &&
  String(row.event_types) === String(types);
const isSameTime = (kept: string | null, asked: Date | undefined) =>
  kept === null || !asked ? kept === null && !asked : Date.parse(kept) === asked.getTime();

export const replayLocks = ({ endpointId }: Pick<ReplayRequest, 'endpointId'>) => [endpointLock(endpointId)];

/** Of deliveries, by their state. A `replay` walks over events, and a new one would deliver what is delivered by then once more. */
const walked = { recover: 'failed', cancel: 'pending', replay: undefined } as const;

/**
 * SQL: of the row as it is now, which a step may have moved meanwhile, and which may have been called off. Takes what came since it was asked
 * for, behind its position too. Finds nothing when all is walked over and only the end is missing.
 */
const takeMoreStatement = `
  update webhook_replays r
     set last_id = greatest(r.last_id, $3),
         left_id = least(r.left_id, (
           select d.id
             from webhook_deliveries d
            where d.organization_id = $1 and d.endpoint_id = r.endpoint_id and d.state = $4 and d.id >= $5 and d.id < r.position
            order by d.id
            limit 1))
   where r.organization_id = $1 and r.id = $2 and r.position < r.last_id and r.state <> 'ended'
  returning r.id`;

/** SQL: the same look, of one whose range stays. What ends it writes the row. */
const stillOpenStatement = `
  select 1
    from webhook_replays r
   where r.organization_id = $1 and r.id = $2 and r.state <> 'ended'
     for share`;

type Ids = { first: string; last: string };

/** False: too late, it is another operation. */
async function takesMore(tx: OwnTx, id: string, { kind, until }: ReplayRequest, { first, last }: Ids): Promise<boolean> {
  const state = walked[kind];
  const rows = until || !state ? tx.sql(stillOpenStatement, [id]) : tx.sql(takeMoreStatement, [id, last, state, first]);
  return (await rows).length > 0;
}

/** `isPaused`: nothing is done until it is resumed. */
type AskedFor = { operationId: string; isNew: boolean; isPaused: boolean; types: string[] | null };

/** Asked for again while it is open, it is the same operation. Throws 404, and 422 for a range or types that cannot be. */
export async function askForReplay(
  ledgerTx: TenantTx,
  actor: string,
  request: ReplayRequest,
  retentionDays: number,
): Promise<AskedFor> {
  const tx = ledgerTx.own;
  const { endpointId, kind, since, until } = request;
  tx.assertLocked(endpointLock(endpointId));
  const endpoint = await findEndpoint(tx, endpointId);
  if (!endpoint) throw notFound('Webhook endpoint');
  const nowMs = await databaseTime(tx);
  await assertRange(tx, request, nowMs, retentionDays);
  const types = kind === 'replay' ? typesNamed(request.eventTypes ?? endpoint.event_types) : null;
  if (types?.length === 0) throw invalidField('event_types', 'The endpoint listens to no type that can be replayed: name some');

  // SQL: a row lock on the organization, so that concurrent requests cannot exceed `maxOpenReplays`.
  await tx.sql(
    `select 1
       from organizations
      where id = $1
        for no key update`,
  );
  const open = await openReplays(tx, {});
  const same = open.find((row) => isSame(row, request, types));
  const [job] = same ? await jobOfReplay(tx, { id: same.id }) : [];
  // The id of an event is by the clock of the process that made it, which may be wrong; its time is the database's.
  const marginMs = kind === 'replay' ? hourMs : 0;
  const ids = {
    first: since ? firstIdAt(since.getTime() - marginMs) : nil,
    // What was committed in this millisecond is part of it.
    last: firstIdAt((until?.getTime() ?? nowMs + 1) + marginMs),
  };
  if (same && job && (await takesMore(tx, same.id, request, ids)))
    return { operationId: job.id, isNew: false, isPaused: job.state === 'paused', types };
  if (open.length >= maxOpenReplays)
    throw new AppError('limit_reached', `An organization has at most ${maxOpenReplays} replays that wait or run`);

  const row = {
    id: uuidv7(),
    endpoint_id: endpointId,
    kind,
    state: 'open' as const,
    actor,
    since: since?.toISOString() ?? null,
    until: until?.toISOString() ?? null,
    event_types: types,
    position: ids.first,
    last_id: ids.last,
    left_id: null,
    finished_at: null,
  };
  await tx.insert(WebhookReplay, row);
  await ensureSharedPool(ledgerTx, replayPool, replayPoolWidth);
  const operationId = tx.enqueue(replayJobs[kind], { replay_id: row.id }, { pool: replayPool });
  return { operationId, isNew: true, isPaused: false, types };
}

/** SQL: no table. */
async function databaseTime(own: Own): Promise<number> {
  const [row] = await own.sql<{ ms: number }>(
    'select extract(epoch from clock_timestamp())::float8 * 1000 as ms where $1::uuid is not null',
  );
  return row!.ms;
}
