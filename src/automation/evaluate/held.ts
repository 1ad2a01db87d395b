import { ruleHeld } from '../../platform/events/automation-events.ts';
import type { PartText } from '../../platform/ledger/part.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { ruleLock } from '../jobs.ts';
import type { HeldReason } from '../states.ts';

export type Held = { ruleId: string; reason: HeldReason; count: number; isTold: boolean };

/** SQL: no more often the event tells of it. */
export const heldEvery = `interval '1 hour'`;
const isDue = `h.told_at is null or h.told_at <= clock_timestamp() - ${heldEvery}`;

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

/** SQL: the counter alone, in the ledger's statement, so that its row is locked for the commit only; in the order of the rules. */
const heldPart: PartText = (organization, rules, reasons, counts) => `
  counted_as_held as (
    insert into automation_held as h (organization_id, rule_id, reason, count)
    select ${organization}::uuid, x.rule_id, x.reason, x.count
      from unnest(${rules}::uuid[], ${reasons}::text[], ${counts}::int[]) as x(rule_id, reason, count)
     order by x.rule_id, x.reason
    on conflict (organization_id, rule_id, reason) do update
       set count = h.count + excluded.count, updated_at = clock_timestamp())`;

/** Of which it was told within the hour: the next one that is due tells of these, too. Without the rule's lock: many subjects of one rule may be busy. */
export function countHeld(tx: OwnTx, held: Held[]): void {
  if (held.length === 0) return;
  const lists = [held.map(({ ruleId }) => ruleId), held.map(({ reason }) => reason), held.map(({ count }) => count)];
  tx.include({ text: heldPart, params: [tx.organizationId, ...lists] });
}
