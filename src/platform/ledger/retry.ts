import type { RowOf } from '../database/tables.ts';
import { AppError } from '../errors.ts';
import { dispatchedColumns, dispatchedOf, firstCheck, type Inserted } from './accept.ts';
import { contractOf } from './contracts.ts';
import type { Job } from './jobs.entity.ts';
import { liveJobs, stateIs } from './states.ts';
import { asTenant } from './tenant.ts';
import type { Look, Transact } from './transact.ts';
import type { Tx } from './tx.ts';

type FailedRow = RowOf<typeof Job, 'organization_id' | 'name' | 'payload' | 'state' | 'lane' | 'class'>;

/** SQL: as the statements that accept and release, with the state the row's lane and pool give it. */
const reviveStatement = `
  update jobs j
     set run = run + 1,
         attempts = 0,
         stalls = 0,
         seq = nextval('jobs_seq'),
         run_at = clock_timestamp(),
         slot_at = null,
         finished_at = null,
         error = null,
         queue = $3,
         check_at = clock_timestamp() + ${firstCheck},
         state = case when lane is not null
                           and exists (
                             select 1 from ${liveJobs} l
                              where l.organization_id = $1 and l.lane = j.lane) then 'blocked'
                      when pool is not null then 'waiting'
                      else 'queued' end
   where organization_id = $1 and id = $2 and ${stateIs('state', 'failed')}
  returning ${dispatchedColumns}`;

/** The look and the locks of a retry. No `organizationId`: an operator's. */
export const retryOf = (transact: Transact, jobId: string, organizationId?: string): Look<FailedRow> => ({
  async look() {
    const found = await transact({}, (tx) => failedRow(tx.query, jobId, organizationId));
    if (!found) throw jobMissing();
    return found;
  },
  // Without a lane, the row's own lock: a second retry must not revive a subject that is at work again, or done.
  locks: ({ lane }) => [lane ?? `job:${jobId}`],
});

/** False when the row is no longer failed. */
export const retryJob = (transact: Transact, jobId: string, organizationId?: string): Promise<boolean> =>
  transact(retryOf(transact, jobId, organizationId), (tx) => reviveJob(tx, jobId, organizationId));

/** The caller holds the lane's lock. */
export async function reviveJob(tx: Tx, jobId: string, organizationId?: string): Promise<boolean> {
  const row = await failedRow(tx.query, jobId, organizationId);
  if (!row) throw jobMissing();
  if (row.state !== 'failed') return false;
  // Its conversation may have been merged into another.
  if (row.lane) tx.assertLocked(row.lane);
  const contract = contractOf(row.name);
  if (!contract) throw new AppError('conflict', `No job is called ${row.name} any more`);
  await contract.revived(asTenant(tx, row.organization_id), row.payload);
  const queue = (row.class === 1 && contract.bulkQueue) || (contract.retryQueue ?? contract.queue);
  const rows = await tx.query<Inserted>(reviveStatement, [row.organization_id, jobId, queue]);
  // Purged between the two statements: rolls back what was revived.
  if (rows.length === 0) throw jobMissing();
  tx.dispatch(dispatchedOf(rows));
  return true;
}

const jobMissing = () => new AppError('not_found', 'Job not found: it is done, or it failed so long ago that it was purged');

/** SQL: the look and the check of a retry, on one connection with it. */
const failedStatement = `
  select organization_id, name, payload, state, lane, class
    from jobs
   where organization_id = $1 and id = $2`;
/** SQL: an operator names a job of any organization: read over all of them, on nobody's path. */
const failedAnywhere = `
  select organization_id, name, payload, state, lane, class
    from jobs
   where id = $1`;

async function failedRow(
  query: <Row>(text: string, params: unknown[]) => Promise<Row[]>,
  jobId: string,
  organizationId?: string,
) {
  const [row] = organizationId
    ? await query<FailedRow>(failedStatement, [organizationId, jobId])
    : await query<FailedRow>(failedAnywhere, [jobId]);
  return row;
}
