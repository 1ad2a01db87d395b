import { cancelRuns } from '../../contacts/cancel-runs.ts';
import type { Own } from '../../platform/database/own.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { OwnTx, RunRef } from '../../platform/ledger/tx.ts';
import { nowDate } from '../../platform/time/clock.ts';
import { runLock } from '../jobs.ts';
import type { CancelReason } from '../states.ts';
import type { RunFilter } from './filter.ts';
import { nextRuns, progressOf, usualStep, writeProgress } from './many.ts';
import { type CancelPayload, cancelRunsJob, filterIn } from './many-jobs.ts';

/** All live runs of a rule, whenever they began. Returns the id of the operation. */
export const enqueueCancelRuns = (tx: OwnTx, { rule_id: ruleId }: { rule_id: string }, reason: CancelReason): string =>
  tx.enqueue(cancelRunsJob, { request_id: uuidv7(), filter: JSON.stringify({ ruleId }), before: '', reason });

/** Live runs that had begun by now. Returns the id of the operation. */
export const askToCancelRuns = (tx: OwnTx, filter: RunFilter): string =>
  tx.enqueue(cancelRunsJob, {
    request_id: uuidv7(),
    filter: JSON.stringify(filter),
    before: nowDate().toISOString(),
    reason: 'asked',
  });

/** A batch is one transaction, with how far it came. False: it was the last. Throws Superseded. */
export async function cancelStep(
  own: Own,
  transact: TenantTransact,
  payload: CancelPayload,
  job: RunRef,
  size = usualStep,
): Promise<boolean> {
  const { before, reason } = payload;
  const progress = await progressOf(own, job);
  const look = () =>
    nextRuns(own, filterIn(payload), { reached: progress.reached, size }, (bind) => [
      `r.state in ('queued', 'running')`,
      ...(before ? [`r.created_at <= ${bind(before)}::timestamptz`] : []),
    ]);
  const locks = (found: { id: string }[]) => found.map(({ id }) => runLock(id));
  return transact({ look, locks, isLong: true }, async ({ own: tx }, found) => {
    if (found.length === 0) return false;
    const ids = found.map(({ id }) => id);
    const done = await cancelRuns(tx, ids, reason);
    await writeProgress(tx, job, {
      done: progress.done + done,
      left: progress.left + ids.length - done,
      reached: ids.at(-1)!,
    });
    return ids.length === size;
  });
}
