import type { RowOf } from '../../platform/database/tables.ts';
import type { Job, JobError } from '../../platform/ledger/jobs.entity.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import { runJobName } from '../jobs.ts';
import { isLive } from '../states.ts';
import { failRun } from './end.ts';
import { positionOf } from './position.ts';
import { retryFor } from './retryable.ts';
import { findRunNow } from './run-now.ts';

/** Its job was given up, as when the workers at it died. */
export async function runCrashed(tx: TenantTx, id: string, error: JobError): Promise<void> {
  const seen = await findRunNow(tx.own, id);
  if (!seen) return;
  await tx.lockFound('automation_rule', seen.rule_id);
  await tx.lockFound('automation_run', id);
  const run = await findRunNow(tx.own, id);
  if (!run || !isLive(run.state)) return;
  const { calling } = positionOf(run.position);
  const isUnknown = calling?.claim !== undefined && !calling.is_repeatable;
  await failRun(tx, run, isUnknown ? { code: 'outcome_unknown', message: 'The answer of the call was lost' } : error);
}

/** SQL: by the subject, in a form that no partial index fits (states.ts). */
const failedJob = `
  select id
    from jobs
   where organization_id = $1
     and subject_id = $2
     and name = '${runJobName}'
     and ${stateIs('state', 'failed')}
   limit 1`;

/** Its job was retried by hand. Throws 409 where the run itself cannot be. */
export async function runRevived(tx: TenantTx, id: string): Promise<void> {
  await tx.lockFound('automation_run', id);
  const [job] = await tx.own.sql<RowOf<typeof Job, 'id'>>(failedJob, [id]);
  if (job) await retryFor(tx.own, id, job.id);
}
