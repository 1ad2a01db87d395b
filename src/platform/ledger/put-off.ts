import type { RowOf } from '../database/tables.ts';
import type { Job } from './jobs.entity.ts';
import { checkIn, isParked, willPark } from './park.ts';
import { stateIs } from './states.ts';
import type { RunRef, Tx } from './tx.ts';

export type PutOff = {
  /** From the database's clock. */
  delayMs: number;
  spend: boolean;
  error?: object;
  /** Another queue for later attempts. */
  queue?: string;
};

export type PutOffRow = RowOf<typeof Job, 'run' | 'queue' | 'name' | 'organization_id' | 'pool'>;

const delay = `$5::float8 * interval '1 ms'`;
const leavesQueue = `($7 is not null and $7 <> queue or ${willPark(delay)})`;

/** SQL: one statement ends an attempt and gives back its room (bench: send, deliver). */
const putOffStatement = `
  update jobs
     set attempts = attempts + $4,
         run_at = clock_timestamp() + ${delay},
         check_at = ${checkIn(delay, `interval '10 s'`)},
         error = coalesce($6, error),
         slot_at = null,
         queue = coalesce($7, queue),
         run = run + case when ${leavesQueue} then 1 else 0 end,
         stalls = 0
   where organization_id = $1 and id = $2 and run = $3 and ${stateIs('state', 'queued')}
  returning run, queue, name, organization_id, pool, ${isParked} as is_parked, $5::float8 as delay_ms`;

/**
 * The row stays `queued`; its room is free until it runs. In another queue, or parked, it gets a new number: the run in this queue is over. Undefined
 * when the run is no longer the row's.
 */
export async function putOff(
  tx: Tx,
  { organization_id, id, run }: RunRef,
  { delayMs, spend, error, queue }: PutOff,
): Promise<PutOffRow | undefined> {
  const spent = spend ? 1 : 0;
  const reason = error ? JSON.stringify(error) : null;
  const [row] = await tx.query<PutOffRow & { delay_ms: number; is_parked: boolean }>(putOffStatement, [
    organization_id,
    id,
    run,
    spent,
    delayMs,
    reason,
    queue ?? null,
  ]);
  if (!row) return undefined;
  tx.dispatch({
    rows: row.run === run || row.is_parked ? [] : [{ id, ...row }],
    pools: row.pool ? [{ organization_id, id: row.pool }] : [],
  });
  return row;
}

/** SQL: the place in line is taken from the sequence only for a row without a lane. What is behind all others stays there. */
const putBackStatement = `
  update jobs
     set state = 'waiting',
         run = run + 1,
         slot_at = null,
         stalls = 0,
         seq = case when $4 or lane is not null then seq else nextval('jobs_seq') + ((seq >> 60) << 60) end
   where organization_id = $1 and id = $2 and run = $3 and ${stateIs('state', 'queued')}
  returning pool`;

/** Without room a row goes to the end: first attempts come first. Fills the pool, as the hold may have ended meanwhile. */
export async function putBack(tx: Tx, { organization_id, id, run }: RunRef, { keepPlace }: { keepPlace: boolean }) {
  const [row] = await tx.query<Pick<PutOffRow, 'pool'>>(putBackStatement, [organization_id, id, run, keepPlace]);
  if (row?.pool) tx.dispatch({ rows: [], pools: [{ organization_id, id: row.pool }] });
}
