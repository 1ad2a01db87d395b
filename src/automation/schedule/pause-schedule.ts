import type { OwnTx, TenantTx } from '../../platform/ledger/tx.ts';
import { AutomationOccurrence } from '../rule.entity.ts';
import { findRule } from '../rules/rule-row.ts';
import { moveRule } from '../rules/rule-tx.ts';
import type { PausedReason } from '../states.ts';

/** A live rule whose tick begins nothing any more; the caller ends the tick's job. What its listing had reached is forgotten. Needs the rule's lock. */
export async function pauseSchedule(own: OwnTx, ruleId: string, reason: PausedReason): Promise<void> {
  await own.delete(AutomationOccurrence, { rule_id: ruleId });
  await moveRule(own, ruleId, 'pause', { to: 'paused', reason, set: { next_at: null, tick_job_id: null } });
}

/** Its tick was given up. A rule has one live tick, and one of before has no row any more: nothing ends it. */
export async function tickFailed(tx: TenantTx, ruleId: string): Promise<void> {
  await tx.lockFound('automation_rule', ruleId);
  const rule = await findRule(tx.own, ruleId);
  if (rule?.status === 'live') await pauseSchedule(tx.own, ruleId, 'schedule_failed');
}
