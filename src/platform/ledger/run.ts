import type { Em } from '../database/database.ts';
import { query } from '../database/query.ts';
import type { JobError, JobState } from './jobs.entity.ts';

/** A row as its run finds it, with what the database's clock says of it. */
export type RunRow = {
  id: string;
  run: number;
  organization_id: string;
  name: string;
  queue: string;
  payload: Record<string, string>;
  subject_type: string;
  subject_id: string;
  lane: string | null;
  pool: string | null;
  state: JobState;
  attempts: number;
  visible: boolean;
  error: JobError | null;
  stalls: number;
  early_ms: number;
  is_held: boolean;
  /** Its pool has a width and this run no room in it. */
  needs_room: boolean;
  /** Its pool has a rate. */
  is_paced: boolean;
};

const rowColumns = `j.id, j.run, j.organization_id, j.name, j.queue, j.payload, j.subject_type, j.subject_id, j.lane, j.pool, j.state, j.attempts, j.visible, j.error, j.stalls`;

/** A row that may run, for a claim that reads it along from `jobs j left join pools p`. */
export const runColumns = `${rowColumns}, 0::float8 as early_ms, false as is_held, false as needs_room, p.rate is not null as is_paced`;

export async function readRun(em: Em, id: string): Promise<RunRow | undefined> {
  const [row] = await query<RunRow>(
    em,
    `select ${rowColumns},
            greatest(0, extract(epoch from j.run_at - clock_timestamp()) * 1000)::float8 as early_ms,
            coalesce(p.held_until > clock_timestamp(), false) as is_held,
            j.pool is not null and j.slot_at is null as needs_room, p.rate is not null as is_paced
       from jobs j left join pools p on p.id = j.pool where j.id = $1`,
    [id],
  );
  return row;
}

export type Decision = 'stale' | 'retry' | 'echo' | 'early' | 'held' | 'room' | 'run';

/** What a run may do now. `attemptsMade` is BullMQ's count of this run: above 0 on a failed row, somebody pressed retry in Bull Board. */
export function decide(row: RunRow | undefined, run: number, attemptsMade: number): Decision {
  if (!row || row.run !== run) return 'stale';
  if (row.state === 'failed') return attemptsMade >= 1 ? 'retry' : 'echo';
  if (row.state !== 'queued') return 'stale';
  if (row.early_ms > 20) return 'early';
  if (row.is_held) return 'held';
  return row.needs_room ? 'room' : 'run';
}
