import type { OwnTx } from '../../platform/ledger/tx.ts';
import { enqueueCancelRuns } from '../runs/cancel-many.ts';
import { endSchedule } from '../schedule/next.ts';
import { getRule } from './rule-row.ts';
import { assertAllowed, removeRule } from './rule-tx.ts';

/** Its live runs may be a million: a job cancels them. Needs the rule's lock. Throws 404. */
export async function deleteRule(own: OwnTx, id: string): Promise<void> {
  assertAllowed('delete', await getRule(own, id));
  await endSchedule(own, id);
  await enqueueCancelRuns(own, { rule_id: id }, 'rule_deleted');
  await removeRule(own, id);
}
