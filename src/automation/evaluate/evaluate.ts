import { brokenReference } from '../../platform/database/errors.ts';
import type { Own } from '../../platform/database/own.ts';
import type { Look } from '../../platform/ledger/transact.ts';
import type { TenantTx } from '../../platform/ledger/tx.ts';
import { runLock } from '../jobs.ts';
import { wakeRun } from '../runs/wake.ts';
import type { Evaluating } from './definitions.ts';
import { type Evaluation, lookAtEvent } from './look.ts';
import { locksOfStarts, startRuns } from './start-runs.ts';

type Seen = Evaluation & { locks: string[] };

const locksOf = async (own: Own, { starts, wakes }: Evaluation) => [...(await locksOfStarts(own, starts)), ...wakes.map(runLock)];

/** `first`: what was seen just before. Needs the lock of the event's lane, too, which the job's end takes. */
export function evaluation(evaluating: Evaluating, first: Evaluation): Look<Seen> {
  return {
    async look(attempt) {
      const seen = attempt === 1 ? first : await lookAtEvent(evaluating, first.eventId, first.after);
      return { ...seen, locks: await locksOf(evaluating.own, seen) };
    },
    locks: ({ locks }) => locks,
    // The contact was erased since: the run is about nobody.
    outdatedBy: (error) => brokenReference(error) === 'automation_runs_contact',
  };
}

/** All runs of an event, in the transaction that ends its evaluation. Before it, where many wait for the event, some of them: repeated from the beginning, the others are left. */
export async function writeEvaluation(tx: TenantTx, { eventId, starts, wakes }: Evaluation): Promise<void> {
  for (const id of wakes) await wakeRun(tx, id, eventId);
  await startRuns(tx, starts);
}
