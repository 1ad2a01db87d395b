import { getOrganization } from '../../organizations/organizations.ts';
import { endDoneNow } from '../../platform/ledger/end-subjects.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { nowDate } from '../../platform/time/clock.ts';
import { momentMs } from '../../platform/time/moment.ts';
import type { Definition } from '../definition/definition.ts';
import { ruleLock, tickJobName } from '../jobs.ts';
import { AutomationOccurrence } from '../rule.entity.ts';
import { clockOf, nextOf, type RuleClock } from './clock.ts';
import { tickJob } from './tick-job.ts';

/** To write into the rule. */
export type NextTick = { next_at: string; tick_job_id: string };

/**
 * The next moment of a rule that goes live, and the job that waits for it; undefined: its trigger has none. In place of the job before. Needs the rule's lock.
 * `next_at` of the rule is the moment that it waits for while it is live, else null: one that has come, and belongs to the new definition too, stays.
 */
export async function scheduleNext(
  tx: OwnTx,
  rule: { id: string; next_at?: string | null },
  { trigger }: Pick<Definition, 'trigger'>,
): Promise<NextTick | undefined> {
  await endSchedule(tx, rule.id);
  const clock = clockOf(trigger, await getOrganization(tx));
  if (!clock) return undefined;
  return enqueueTick(tx, rule.id, dueOf(clock, rule.next_at) ?? nextOf(clock, nowDate()));
}

function dueOf(clock: RuleClock, waited: string | null | undefined): Date | undefined {
  if (!waited) return undefined;
  const at = new Date(momentMs(waited));
  if (at > nowDate()) return undefined;
  return nextOf(clock, new Date(at.getTime() - 1))?.getTime() === at.getTime() ? at : undefined;
}

export function enqueueTick(tx: OwnTx, ruleId: string, at: Date | undefined): NextTick | undefined {
  if (!at) return undefined;
  const delayMs = Math.max(0, at.getTime() - nowDate().getTime());
  return { next_at: at.toISOString(), tick_job_id: tx.enqueue(tickJob, { rule_id: ruleId }, { delayMs }) };
}

/** Of a rule that pauses or is deleted, or gets another definition: nothing of it ticks any more, a listing that is being read included. Needs its lock. */
export async function endSchedule(tx: OwnTx, ruleId: string): Promise<void> {
  tx.assertLocked(ruleLock(ruleId));
  await endDoneNow(tx, tickJobName, [ruleId]);
  await tx.delete(AutomationOccurrence, { rule_id: ruleId });
}
