import type { Own } from '../../platform/database/own.ts';
import { LocksOutdated, sharedLock, subjectLock } from '../../platform/ledger/locks.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import { ruleLock, runLock } from '../jobs.ts';
import { beginRuns, type NewRun } from '../runs/begin.ts';
import { cancelRun } from '../runs/end.ts';
import { countHeld, type Held, holdBack } from './held.ts';
import { isFullOfRuns } from './live-runs.ts';
import { type Admission, admitAll, type Start } from './start.ts';

/** `run`: all of the run that does not follow from the rule and the subject. */
export type RunStart = Start & {
  version: number;
  contactId: string | null;
  run: Pick<NewRun, 'mode' | 'trigger'> & Partial<Pick<NewRun, 'occursAt' | 'startedBy' | 'vars'>>;
};

/** Who pauses a rule holds its lock: after the reply no run begins. What is held back is told under the lock, once an hour. */
function lockOfRule(ruleId: string, { verdict, isTold }: Admission): string[] {
  if (verdict === 'ok') return [sharedLock(ruleLock(ruleId))];
  return verdict === 'none' || isTold ? [] : [ruleLock(ruleId)];
}

/** Of what `startRuns` will write, as it looks now. */
export async function locksOfStarts(own: Own, starts: RunStart[], isFullOf = isFullOfRuns): Promise<string[]> {
  const admissions = await admitAll(own, starts, isFullOf);
  return starts.flatMap(({ rule, subject }, index) => {
    const admission = admissions[index]!;
    return [
      subjectLock(subject.subjectType, subject.subjectId),
      ...lockOfRule(rule.id, admission),
      ...admission.restarts.map(runLock),
    ];
  });
}

/** Begins what may start, ends the runs that begin again, and counts what is held back. Throws LocksOutdated where others than those looked for are met. */
export async function startRuns(tx: TenantTx, starts: RunStart[], isFullOf = isFullOfRuns): Promise<string[]> {
  for (const { subject } of starts) tx.assertLocked(subjectLock(subject.subjectType, subject.subjectId));
  const admissions = await admitAll(tx.own, starts, isFullOf);
  const held = heldOf(starts, admissions);
  for (const { ruleId, reason, count } of held.filter(({ isTold }) => !isTold)) await holdBack(tx.own, ruleId, reason, count);
  countHeld(
    tx.own,
    held.filter(({ isTold }) => isTold),
  );
  const restarts = admissions.flatMap((admission) => admission.restarts);
  for (const id of restarts) tx.assertLocked(runLock(id));
  for (const id of restarts) await cancelRun(tx, id, 'restarted');
  const begun = starts.flatMap((start, index) => (admissions[index]!.verdict === 'ok' ? [newRun(start)] : []));
  for (const { ruleId } of begun) tx.assertLocked(sharedLock(ruleLock(ruleId)));
  const made = await beginRuns(tx.own, begun);
  // A schedule began one at the same time: it takes no locks of subjects.
  if (made.length < begun.length) throw new LocksOutdated();
  return made;
}

function heldOf(starts: RunStart[], admissions: Admission[]): Held[] {
  const held = new Map<string, Held>();
  for (const [index, { rule }] of starts.entries()) {
    const { verdict, isTold } = admissions[index]!;
    if (verdict === 'ok' || verdict === 'none') continue;
    const key = `${rule.id} ${verdict}`;
    held.set(key, { ruleId: rule.id, reason: verdict, count: (held.get(key)?.count ?? 0) + 1, isTold });
  }
  return [...held.values()];
}

const newRun = ({ rule, version, subject, contactId, chain, eventId, run }: RunStart): NewRun => ({
  ruleId: rule.id,
  version,
  ...subject,
  contactId,
  isExclusive: rule.concurrency !== 'each',
  chain: [...chain, rule.id],
  ...(eventId && { eventId }),
  ...run,
});
