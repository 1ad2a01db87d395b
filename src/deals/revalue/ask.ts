import { statement } from '../../platform/database/statement.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { Job } from '../../platform/ledger/jobs.entity.ts';
import { subjectLock } from '../../platform/ledger/locks.ts';
import { ensureSharedPool } from '../../platform/ledger/pools.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import { revalueDealsJob, revaluePool, revaluePoolWidth } from './jobs.ts';
import { DealRevaluation } from './revaluation.entity.ts';

export const revalueLock = (organizationId: string) => subjectLock('deal_revaluations', organizationId);

const open = statement((select) => select(DealRevaluation).select('id').where('state', '=', 'open'));
const jobOf = statement((select, { id }: { id: string }) => select(Job).select('id').where('subject_id', '=', id));

/** The id of the operation; asked for again before it is over, it is the same. Needs `revalueLock`. */
export async function askForRevaluation(ledgerTx: TenantTx, actor: string): Promise<string> {
  const tx = ledgerTx.own;
  tx.assertLocked(revalueLock(tx.organizationId));
  const [running] = await open(tx, {});
  const [job] = running ? await jobOf(tx, { id: running.id }) : [];
  if (job) return job.id;
  const id = uuidv7();
  await tx.insert(DealRevaluation, { id, state: 'open', actor, reached_at: null, reached_id: null, finished_at: null });
  await ensureSharedPool(ledgerTx, revaluePool, revaluePoolWidth);
  return tx.enqueue(revalueDealsJob, { revaluation_id: id }, { pool: revaluePool });
}
