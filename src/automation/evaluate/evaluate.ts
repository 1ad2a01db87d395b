import { brokenReference } from '../../platform/database/errors.ts';
import type { Look } from '../../platform/ledger/transact.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import { runLock } from '../jobs.ts';
import { wakeRun } from '../runs/wake.ts';
import type { Evaluating } from './definitions.ts';
import { type Evaluation, lookAtEvent } from './look.ts';
import type { Admitted } from './start.ts';
import { lookAtStarts, noteStarts, startRuns } from './start-runs.ts';

/** `noted`: one round trip is enough for all of it. */
type Seen = Evaluation & { locks: string[]; noted?: Admitted };

/** `first`: what was seen just before. Needs the lock of the event's lane, too, which the job's end takes. */
export function evaluation(evaluating: Evaluating, first: Evaluation): Look<Seen> {
  return {
    async look(attempt) {
      const seen = attempt === 1 ? first : await lookAtEvent(evaluating, first.eventId, { after: first.after });
      const { locks, isPlain, ...admitted } = await lookAtStarts(evaluating.own, seen.starts);
      const isNoted = attempt === 1 && isPlain && seen.wakes.length === 0;
      return { ...seen, locks: [...locks, ...seen.wakes.map(runLock)], ...(isNoted && { noted: admitted }) };
    },
    isOneTrip: ({ noted }) => noted !== undefined,
    locks: ({ locks }) => locks,
    // The contact was erased since: the run is about nobody.
    outdatedBy: (error) => brokenReference(error) === 'automation_runs_contact',
  };
}

/** All runs of an event, in the transaction that ends its evaluation. Before it, where many wait for the event, some of them: repeated from the beginning, the others are left. */
export async function writeEvaluation(tx: TenantTx, { eventId, starts, wakes, noted }: Seen): Promise<void> {
  if (noted) return noteStarts(tx.own, starts, noted);
  for (const id of wakes) await wakeRun(tx, id, eventId);
  await startRuns(tx, starts);
}
