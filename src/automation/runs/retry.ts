import { uuidv7 } from '../../platform/ids.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import { automationPool, runJobName } from '../jobs.ts';
import type { MaySave } from '../rules/scopes.ts';
import { retryFor } from './retryable.ts';
import { runJobOfRule } from './run-job.ts';

/** SQL: of a run whose job was given up. Retried by hand as well, it would run twice. */
const dropFailed = `
  delete from jobs
   where organization_id = $1
     and subject_id = $2
     and name = '${runJobName}'
     and ${stateIs('state', 'failed')}`;

/**
 * From the failed step, once at a time. Needs the lock of the run. `author`: who must be allowed what the rule does. Throws 404, 403, and 409 for one that
 * has not failed, whose subject, rule or event is gone, or beside which another lives.
 */
export async function retryRun({ own }: TenantTx, id: string, author?: MaySave): Promise<void> {
  const jobId = uuidv7();
  await retryFor(own, id, jobId, author);
  await own.sql(dropFailed, [id]);
  own.enqueue(runJobOfRule, { run_id: id }, { pool: automationPool(own.organizationId), id: jobId });
}
