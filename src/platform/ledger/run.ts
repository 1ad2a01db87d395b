import { type BatchStatement, runBatch } from '../database/batch.ts';
import type { Database, Source } from '../database/database.ts';
import { query } from '../database/query.ts';
import type { RowOf } from '../database/tables.ts';
import type { Job } from './jobs.entity.ts';
import type { RunRef } from './tx.ts';

type Column =
  | ('id' | 'run' | 'organization_id' | 'name' | 'queue' | 'payload' | 'subject_type' | 'subject_id')
  | ('lane' | 'pool' | 'state' | 'attempts' | 'visible' | 'error' | 'stalls');

export type RunRow = RowOf<typeof Job, Column> & {
  early_ms: number;
  is_held: boolean;
  needs_room: boolean;
  is_paced: boolean;
  /** Its operation counts as running already. */
  is_started?: boolean;
  /** Of a claim: others wait for room in the pool. */
  has_waiting?: boolean;
};

/** As the log shows it. */
export const subjectOf = ({ subject_type, subject_id }: Pick<RunRow, 'subject_type' | 'subject_id'>): string =>
  `${subject_type}:${subject_id}`;

export const rowColumns = `
  j.id, j.run, j.organization_id, j.name, j.queue, j.payload, j.subject_type, j.subject_id,
  j.lane, j.pool, j.state, j.attempts, j.visible, j.error, j.stalls`;

export const runColumns = `${rowColumns},
  0::float8 as early_ms, false as is_held, false as needs_room, p.rate is not null as is_paced,
  (select 1
     from jobs w
    where w.organization_id = j.organization_id and w.pool = j.pool and w.state = 'waiting'
    limit 1) is not null as has_waiting`;

/**
 * For a pool that counts its runs until their end, with conditions on `jobs j left join pools p`: transactions that committed together may
 * have given away more room than there is. All others count, whatever their times: an older row may have been committed later. A wider
 * pool cannot be exceeded so: only its first rows are born with room (accept.ts).
 */
export const isWithinWidth = `
  (p.width > 1000
   or (select count(*)
         from jobs o
        where o.organization_id = j.organization_id and o.pool = j.pool and o.state = 'queued' and o.slot_at is not null
          and o.id <> j.id) < p.width)`;

/** SQL: reads a row by the ids in BullMQ, with the database's clock (bench: send, deliver). */
const runStatement = `
  select ${rowColumns},
         greatest(0, extract(epoch from j.run_at - clock_timestamp()) * 1000)::float8 as early_ms,
         coalesce(p.held_until > clock_timestamp(), false) as is_held,
         j.pool is not null and (j.slot_at is null or not ${isWithinWidth}) as needs_room,
         p.rate is not null as is_paced
    from jobs j
    left join pools p on p.organization_id = j.organization_id and p.id = j.pool
   where j.organization_id = $1 and j.id = $2`;

export async function readRun(source: Source, { organization_id, id }: Omit<RunRef, 'run'>): Promise<RunRow | undefined> {
  const [row] = await query<RunRow>(source, runStatement, [organization_id, id]);
  return row;
}

/**
 * The same beside the rows of `more`, which travel with it. Undefined: this run may not begin now, or has met a worker's death: `readRun` says the rest. For the
 * claim of a handler that has nothing to claim.
 */
export async function readRunWith(
  { pool }: Database,
  { organization_id, id, run }: RunRef,
  ...more: BatchStatement[]
): Promise<{ row: RunRow; read: Record<string, unknown>[][] } | undefined> {
  const [rows, ...read] = await runBatch(pool, [{ text: runStatement, params: [organization_id, id] }, ...more]);
  const row = rows![0] as RunRow | undefined;
  return row && row.stalls === 0 && decide(row, run, 0) === 'run' ? { row, read } : undefined;
}

export type Decision = 'stale' | 'retry' | 'echo' | 'early' | 'held' | 'room' | 'run';

/** `attemptsMade` is BullMQ's: above 0 on a failed row means a retry from Bull Board. */
export function decide(row: RunRow | undefined, run: number, attemptsMade: number): Decision {
  if (!row || row.run !== run) return 'stale';
  if (row.state === 'failed') return attemptsMade >= 1 ? 'retry' : 'echo';
  if (row.state !== 'queued') return 'stale';
  if (row.early_ms > 20) return 'early';
  if (row.is_held) return 'held';
  return row.needs_room ? 'room' : 'run';
}
