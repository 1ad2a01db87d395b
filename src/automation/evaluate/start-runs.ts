import type { Own } from '../../platform/database/own.ts';
import { LocksOutdated, sharedLock, subjectLock } from '../../platform/ledger/locks.ts';
import type { PartText } from '../../platform/ledger/part.ts';
import type { OwnTx, TenantTx } from '../../platform/ledger/tx.ts';
import { ruleLock, runLock } from '../jobs.ts';
import { beginRuns, type NewRun, noteRuns } from '../runs/begin.ts';
import { cancelRun } from '../runs/end.ts';
import { countHeld, type Held, holdBack } from './held.ts';
import { isFullOfRuns } from './live-runs.ts';
import { type Admission, type Admitted, admitAll, admitCounted, isStillCounted, paramsOfCounted, type Start } from './start.ts';

/** `run`: all of the run that does not follow from the rule and the subject. */
export type RunStart = Start & {
  version: number;
  contactId: string | null;
  run: Pick<NewRun, 'mode' | 'trigger'> & Partial<Pick<NewRun, 'occursAt' | 'startedBy' | 'vars'>>;
};

const isHeld = ({ verdict }: Admission): boolean => verdict !== 'ok' && verdict !== 'none';

/** Who pauses a rule holds its lock: after the reply no run begins. What is held back is told under the lock, once an hour. */
function lockOfRule(ruleId: string, { verdict, isTold }: Admission): string[] {
  if (verdict === 'ok') return [sharedLock(ruleLock(ruleId))];
  return verdict === 'none' || isTold ? [] : [ruleLock(ruleId)];
}

/** Of what `startRuns` will write, as it looks now. */
export async function locksOfStarts(own: Own, starts: RunStart[], isFullOf = isFullOfRuns): Promise<string[]> {
  return locksOf(starts, await admitAll(own, starts, isFullOf));
}

/** The same, with what `noteStarts` needs. `isPlain`: it neither holds back nor begins again. */
export async function lookAtStarts(own: Own, starts: RunStart[]): Promise<Admitted & { locks: string[]; isPlain: boolean }> {
  const admitted = await admitCounted(own, starts);
  const { admissions } = admitted;
  const isPlain = admissions.every((one) => !isHeld(one) && one.restarts.length === 0);
  return { ...admitted, isPlain, locks: locksOf(starts, admissions) };
}

function locksOf(starts: RunStart[], admissions: Admission[]): string[] {
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

const allBegun: PartText = (organization, runs, ...counted) =>
  `(select count(*) from begun) = jsonb_array_length(${runs}::jsonb) and ${isStillCounted(organization, ...counted)}`;

/** As `startRuns`, without a question, where the look was plain. Throws LocksOutdated, at the commit, where another look would not see the same. */
export function noteStarts(tx: OwnTx, starts: RunStart[], { admissions, counted }: Admitted): void {
  for (const { subject } of starts) tx.assertLocked(subjectLock(subject.subjectType, subject.subjectId));
  const begun = starts.flatMap((start, index) => (admissions[index]!.verdict === 'ok' ? [newRun(start)] : []));
  for (const { ruleId } of begun) tx.assertLocked(sharedLock(ruleLock(ruleId)));
  if (begun.length > 0) noteRuns(tx, begun, { assertion: allBegun, params: paramsOfCounted(starts, counted) });
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
