import { ruleHeld } from '../../platform/events/automation-events.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { ruleLock } from '../jobs.ts';
import type { HeldReason } from '../states.ts';

const isDue = `h.told_at is null or h.told_at <= clock_timestamp() - interval '1 hour'`;

/** SQL: a counter that is read and changed at once; what it was tells how many were not told of yet. */
const countStatement = `
  insert into automation_held as h (organization_id, rule_id, reason, count, told, told_at)
  values ($1, $2, $3, $4, $4, clock_timestamp())
  on conflict (organization_id, rule_id, reason) do update
     set count = h.count + excluded.count,
         told = case when ${isDue} then h.count + excluded.count else h.told end,
         told_at = case when ${isDue} then clock_timestamp() else h.told_at end,
         updated_at = clock_timestamp()
  returning told - coalesce(old.told, 0) as untold, told_at is distinct from old.told_at as is_told`;

/** Counts `n` starts that were held back. `automation.rule.held` tells of them at once, and of more an hour later. Needs the rule's lock. */
export async function holdBack(tx: OwnTx, ruleId: string, reason: HeldReason, n = 1): Promise<void> {
  tx.assertLocked(ruleLock(ruleId));
  const [row] = await tx.sql<{ untold: number; is_told: boolean }>(countStatement, [ruleId, reason, n]);
  if (row!.is_told) tx.emit(ruleHeld, { rule_id: ruleId, organization_id: tx.organizationId, reason, count: row!.untold });
}
