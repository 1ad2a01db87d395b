import { type BatchStatement, runBatch } from '../database/batch.ts';
import type { Database } from '../database/database.ts';
import { mayRunNow } from './pace.ts';
import { isWithinWidth, type RunRow, rowColumns } from './run.ts';
import { stateIs } from './states.ts';
import type { RunRef } from './tx.ts';

/**
 * SQL: reads the row, asks what `decide` asks, and says that the operation is running, in one statement (bench: booking-sync). The pace is
 * not asked: each call of the run takes its own turn.
 */
const claimStatement = `
  update jobs
     set started_at = coalesce(jobs.started_at, clock_timestamp())
    from jobs j
    left join pools p on p.organization_id = j.organization_id and p.id = j.pool
   where jobs.organization_id = $1 and jobs.id = $2 and jobs.run = $3 and ${stateIs('jobs.state', 'queued')}
     and j.organization_id = jobs.organization_id and j.id = jobs.id
     and ${mayRunNow}
     and (j.pool is null or (j.slot_at is not null and ${isWithinWidth}))
  returning ${rowColumns},
            0::float8 as early_ms, false as is_held, false as needs_room, p.rate is not null as is_paced, true as is_started`;

/**
 * A run of an operation that may begin, which counts as running from now on, with the rows of each of `more`, in one round trip. Undefined:
 * `readRun` says why not.
 */
export async function claimRun(
  { pool }: Database,
  { organization_id, id, run }: RunRef,
  more: BatchStatement[] = [],
): Promise<{ row: RunRow; read: Record<string, unknown>[][] } | undefined> {
  const claim = { text: claimStatement, params: [organization_id, id, run] };
  const [claimed, ...read] = await runBatch(pool, [claim, ...more]);
  const row = claimed![0] as RunRow | undefined;
  return row && { row, read };
}
