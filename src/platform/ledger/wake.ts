import { dispatchedColumns, dispatchedOf, firstCheck, type Inserted } from './accept.ts';
import { stateIs } from './states.ts';
import type { OwnTx } from './tx.ts';

/** SQL: as the statements that put off and put back. What is due is on its way, or at work. */
const wakeStatement = `
  update jobs
     set state = case when pool is null then 'queued' else 'waiting' end,
         run = run + 1,
         stalls = 0,
         slot_at = null,
         run_at = clock_timestamp(),
         check_at = clock_timestamp() + ${firstCheck}
   where organization_id = $1
     and subject_id = $2
     and name = $3
     and run_at > clock_timestamp()
     and ${stateIs('state', 'waiting', 'queued')}
  returning ${dispatchedColumns}`;

/** The subject's job, which waits for its time, is due now. For a job without a lane. Whoever puts it off holds the subject's lock. */
export async function wakeJob(tx: OwnTx, name: string, subjectId: string): Promise<void> {
  tx.dispatch(dispatchedOf(await tx.sql<Inserted>(wakeStatement, [subjectId, name])));
}
