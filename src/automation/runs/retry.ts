import { uuidv7 } from '../../platform/ids.ts';
import { stateIs } from '../../platform/ledger/states.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import { automationPool, runJobName } from '../jobs.ts';
import { assertMayUse, type MaySave } from '../rules/scopes.ts';
import { definitionOf } from './definition-of.ts';
import { retryFor } from './retryable.ts';
import { runJobOfRule } from './run-job.ts';
import type { RunNow } from './run-now.ts';

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
  const assertMay = author && (async (run: RunNow) => assertMayUse(own, author, await definitionOf(own, run)));
  await retryFor(own, id, jobId, assertMay);
  await own.sql(dropFailed, [id]);
  own.enqueue(runJobOfRule, { run_id: id }, { pool: automationPool(own.organizationId), id: jobId });
}
