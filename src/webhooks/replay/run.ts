import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { endpointPool } from '../../platform/ledger/pools.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import { Superseded } from '../../platform/ledger/superseded.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { OwnTx, RunRef } from '../../platform/ledger/tx.ts';
import { findEndpoint } from '../endpoints.ts';
import { WebhookReplay } from './replay.entity.ts';
import { type Replay, walks } from './walks.ts';

/** Of one transaction, which holds the lock of each subject of an ordered endpoint. */
export const usualStep = 100;
/** More of an endpoint's deliveries wait than it takes in a moment: the rest stays where it is, and can be called off. */
const enoughWaiting = 2 * usualStep;

/** `made`: deliveries that this step gave a try to, or cancelled. `later`: what is left has tries in progress. */
export type Step =
  | { kind: 'moved'; made: number }
  | { kind: 'full' }
  | { kind: 'later' }
  | { kind: 'over' }
  | { kind: 'deleted' };

const replayById = statement((select, { id }: { id: string }) =>
  select(WebhookReplay)
    .select([
      'id',
      'endpoint_id',
      'kind',
      'since',
      'until',
      'event_types',
      'position',
      'last_id',
      'left_id',
      'created_at',
      'state',
    ])
    .where('id', '=', id),
);

/** SQL: counts no further than it must. On hold nothing of the endpoint is tried: nothing is in the way. */
const isFullStatement = `
  select coalesce(p.held_until, '-infinity') <= clock_timestamp()
         and (select count(*)
                from (select 1
                        from jobs j
                       where j.organization_id = $1 and j.pool = $2 and j.state = 'waiting'
                       limit $3) w) >= $3 as is_full
    from pools p
   where p.organization_id = $1 and p.id = $2`;

async function isFull(own: Own, endpointId: string): Promise<boolean> {
  const [row] = await own.sql<{ is_full: boolean }>(isFullStatement, [endpointPool(endpointId), enoughWaiting]);
  return row?.is_full ?? false;
}

const holdStatement = statement((select, { id, position }: { id: string; position: string }) =>
  select(WebhookReplay)
    .select(['last_id', 'left_id'])
    .where('id', '=', id)
    .where('position', '=', position)
    .where('state', '=', 'open')
    .forNoKeyUpdate(),
);

/** SQL: the position, what is shown of it and the check of the run in one statement, in the transaction of what was done. */
const moveStatement = `
  with moved as (
    update webhook_replays
       set position = $3, left_id = $4, done = done + $5, updated_at = clock_timestamp()
     where organization_id = $1 and id = $2
    returning done)
  update jobs
     set progress = jsonb_build_object('done', moved.done, 'reached', $6::text)
    from moved
   where jobs.organization_id = $1 and jobs.id = $7 and jobs.run = $8 and ${stateIs('jobs.state', 'queued')}
  returning moved.done`;

type Move = { position: string; leftId: string | null; done: number };

async function moveOn(tx: OwnTx, replay: Replay, job: RunRef, { position, leftId, done }: Move) {
  const params = [replay.id, position, leftId, done, reachedBy(replay, position), job.id, job.run];
  if ((await tx.sql(moveStatement, params)).length === 0) throw new Superseded();
}

/** The position as a time, which every UUIDv7 holds. */
function reachedBy({ until, created_at }: Replay, position: string): string {
  const ms = Number.parseInt(position.replace('-', '').slice(0, 12), 16);
  return new Date(Math.min(ms, Date.parse(until ?? created_at))).toISOString();
}

/**
 * One step of a replay is one transaction: tries, jobs and the position. A killed run has done it whole or not at all, and of two runs one
 * finds that the position has moved. Throws Superseded.
 */
export async function takeStep(own: Own, transact: TenantTransact, id: string, job: RunRef, size = usualStep): Promise<Step> {
  const [replay] = await replayById(own, { id });
  if (!replay || !(await findEndpoint(own, replay.endpoint_id))) return { kind: 'deleted' };
  if (replay.state !== 'open') throw new Superseded();
  const walk = walks[replay.kind];
  if (replay.kind !== 'cancel' && (await isFull(own, replay.endpoint_id))) return { kind: 'full' };
  const write = { look: () => walk.find(own, replay, size), locks: ({ lanes }: { lanes: string[] }) => lanes };
  return transact(write, async ({ own: tx }, { ids, next, isLast }): Promise<Step> => {
    const [held] = await holdStatement(tx, { id, position: replay.position });
    if (!held) throw new Superseded();
    const { done, left } = await walk.take(tx, replay, ids);
    const leftId = held.left_id ?? left[0] ?? null;
    // Asked for again since the look, it goes further.
    const isEnd = isLast && held.last_id === replay.last_id;
    const isLater = isEnd && leftId !== null;
    await moveOn(tx, replay, job, { position: isLater ? leftId : next, leftId: isLater ? null : leftId, done });
    if (isLater) return { kind: 'later' };
    return isEnd ? { kind: 'over' } : { kind: 'moved', made: done };
  });
}
