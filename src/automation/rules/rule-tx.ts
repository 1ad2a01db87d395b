import { now } from '../../platform/database/columns.ts';
import type { Change } from '../../platform/database/own.ts';
import { AppError } from '../../platform/errors.ts';
import { rulePaused } from '../../platform/events/automation-events.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { ruleLock } from '../jobs.ts';
import { AutomationRule } from '../rule.entity.ts';
import { type PausedReason, type RuleAction, type RuleStatus, ruleMoves } from '../states.ts';
import { getRule, type RuleRow } from './rule-row.ts';

type Fields = Change<(typeof AutomationRule)['~entity']>;
/** `reason`: why it paused by itself. `set`: what is written with it. */
export type Move = { to: RuleStatus; reason?: PausedReason; set?: Fields };

const words: Partial<Record<RuleAction, string>> = { change: 'be changed', publish: 'be published', delete: 'be deleted' };

/** 409, which names the state. */
export function assertAllowed(action: RuleAction, { status }: Pick<RuleRow, 'status'>): void {
  if (!ruleMoves[action][status]) throw inState(status, words[action] ?? action);
}

export function inState(status: RuleStatus, verb: string): AppError {
  const message = `The rule is ${status}: it cannot ${verb} now`;
  return new AppError('conflict', message, {
    details: [{ field: 'ruleID', location: 'path', code: 'rule.status', message, value: status }],
  });
}

/**
 * The one way from a status to another. Needs the rule's lock. Where it is in that status already nothing is written, but for `publish`. Throws 404, and
 * 409 for what `ruleMoves` does not have.
 */
export async function moveRule(
  own: OwnTx,
  id: string,
  action: RuleAction,
  { to, reason = '', set = {} }: Move,
): Promise<RuleRow> {
  own.assertLocked(ruleLock(id));
  const before = await getRule(own, id);
  assertAllowed(action, before);
  if (before.status === to && action !== 'publish') return before;
  if (!ruleMoves[action][before.status]!.includes(to)) throw new Error(`${action} leads from ${before.status} to no ${to}`);
  const change = { status: to, paused_reason: reason, paused_at: to === 'paused' ? now() : null, ...set };
  await own.update(AutomationRule, { id }, { ...change, revision: before.revision + 1, updated_at: now() });
  if (to === 'paused') own.emit(rulePaused, { rule_id: id, organization_id: own.organizationId, reason });
  return getRule(own, id);
}

/** A change of what it is, which is no move. The same rules. */
export async function changeRule(own: OwnTx, before: RuleRow, set: Fields): Promise<RuleRow> {
  own.assertLocked(ruleLock(before.id));
  assertAllowed('change', before);
  await own.update(AutomationRule, { id: before.id }, { ...set, revision: before.revision + 1, updated_at: now() });
  return getRule(own, before.id);
}

/** The purge takes it with its versions and runs. Nothing begins it any more: events look for live rules of their type. */
export async function removeRule(own: OwnTx, id: string): Promise<void> {
  own.assertLocked(ruleLock(id));
  const before = await getRule(own, id);
  assertAllowed('delete', before);
  const still = { status: 'paused' as const, event_type: null, next_at: null, tick_job_id: null };
  await own.update(AutomationRule, { id }, { ...still, deleted_at: now(), updated_at: now() });
}
