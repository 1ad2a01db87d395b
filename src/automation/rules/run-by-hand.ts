import type { Own } from '../../platform/database/own.ts';
import { AppError, invalidField } from '../../platform/errors.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import { type Subject, subjectOf } from '../conditions/subject.ts';
import type { SubjectType } from '../definition/definition.ts';
import { admit, startRuleOf } from '../evaluate/start.ts';
import { locksOfStarts, type RunStart, startRuns } from '../evaluate/start-runs.ts';
import { ruleLock } from '../jobs.ts';
import { isSubjectThere } from '../runs/subject-there.ts';
import type { HeldReason } from '../states.ts';
import type { Author } from './create.ts';
import { getRule } from './rule-row.ts';
import { inState } from './rule-tx.ts';
import { assertMayUse } from './scopes.ts';
import { getVersion } from './versions.ts';

export type GivenSubject = { type: SubjectType; id: string };

/**
 * What a run by hand will be: the published version of a live rule, whatever it begins with otherwise. Its conditions are not asked. Throws 404; 409 for a
 * rule that is not live; 403 for what its author may not do; 422 for a subject that is not there.
 */
async function lookAtHand(own: Own, author: Author, ruleId: string, given: GivenSubject): Promise<RunStart> {
  const { version, status, mode } = await getRule(own, ruleId);
  if (status !== 'live') throw inState(status, 'be run');
  const { definition } = await getVersion(own, ruleId, version);
  await assertMayUse(own, author, definition);
  const { trigger } = definition;
  if (trigger.type === 'manual' && trigger.subject && trigger.subject !== given.type)
    throw invalidField('subject.type', `The rule runs about a ${trigger.subject}`, 'subject.type');
  const { contactId, ...subject } = await subjectThere(own, given);
  return {
    rule: startRuleOf(ruleId, definition),
    subject,
    contactId,
    version,
    chain: [],
    run: { mode, trigger: 'manual', startedBy: author.actor },
  };
}

/** With the rule's: it stays live until the run has begun. */
export async function locksOfHand(own: Own, author: Author, ruleId: string, given: GivenSubject): Promise<string[]> {
  return [ruleLock(ruleId), ...(await locksOfStarts(own, [await lookAtHand(own, author, ruleId, given)]))];
}

/**
 * Returns the run's id. Needs `locksOfHand`. Throws as above, and 409 for what holds it back, which is counted nowhere: who asks is told.
 */
export async function runByHand(tx: TenantTx, author: Author, ruleId: string, given: GivenSubject): Promise<string> {
  tx.assertLocked(ruleLock(ruleId));
  const start = await lookAtHand(tx.own, author, ruleId, given);
  const verdict = await admit(tx.own, start.rule, start.subject, start.chain);
  if (verdict !== 'ok') throw heldBack(verdict);
  const [id] = await startRuns(tx, [start]);
  if (!id) throw heldBack('subject_busy');
  return id;
}

async function subjectThere(own: Own, { type, id }: GivenSubject): Promise<Subject> {
  const isThere = type === 'organization' ? id === own.organizationId : await isSubjectThere(own, type, id);
  if (!isThere) {
    const message = type === 'organization' ? "That is not the caller's organization" : `There is no such ${type}`;
    throw new AppError('invalid_request', message, {
      details: [{ field: 'subject.id', location: 'body', code: 'subject.unknown', message, value: id }],
    });
  }
  return {
    ...(await subjectOf(own, { id, type: '', subject_type: type, subject_id: id, data: {} })),
    subjectType: type,
    subjectId: id,
  };
}

const why: Record<HeldReason, string> = {
  loop: 'it would begin itself',
  chain_too_long: 'too many rules have led to it',
  rule_too_often: 'it began too often in the last hour',
  too_often: 'it began too often for this subject in the last hour',
  subject_busy: 'a run of it about this subject has not ended',
  too_many_runs: 'the organization has too many runs that have not ended',
};

function heldBack(reason: HeldReason): AppError {
  const message = `The rule cannot be run now: ${why[reason]}`;
  return new AppError('conflict', message, {
    details: [{ field: 'ruleID', location: 'path', code: 'rule.held', message, value: reason }],
  });
}
