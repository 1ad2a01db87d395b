import type { Action } from '../../src/automation/actions/action.ts';
import { actions } from '../../src/automation/actions/index.ts';
import { advance } from '../../src/automation/runs/advance.ts';
import { runJobOfRule } from '../../src/automation/runs/run-job.ts';
import { type RunNow, runIn, runOfJob } from '../../src/automation/runs/run-now.ts';
import { isBusy } from '../../src/automation/runs/take-steps.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { together } from '../../src/platform/database/together.ts';
import { RunOver } from '../../src/platform/ledger/release.ts';
import { readRunWith } from '../../src/platform/ledger/run.ts';
import type { RunRef } from '../../src/platform/ledger/tx.ts';
import { type Claimed, handle } from '../handler.ts';

/** Others change what it is about all the time. */
const busyMs = 1_000;

export const runRuleWith = (known: ReadonlyMap<string, Action>) =>
  handle<{ run_id: string }, RunNow | undefined>(
    runJobOfRule,
    async ({ run_id }, context) => {
      const { database, repeating, lasting, secrets, http, row, claimed, outside, finish, wait } = context;
      const own = together(database.pool, context.own);
      const deps = { own, transact: repeating, lasting, secrets, http, actions: known, job: row, outside };
      try {
        const ended = await advance(deps, run_id, claimed);
        // It was cancelled, or another job goes on with it.
        return ended.kind === 'over' ? await finish() : ended;
      } catch (error) {
        if (error instanceof RunOver) return { kind: 'stale' };
        if (isBusy(error)) return wait(busyMs, { reason: 'what it is about changes all the time' });
        throw error;
      }
    },
    readWithRun,
  );

/** The job and its run in one look. */
async function readWithRun(database: Database, ref: RunRef): Promise<Claimed<RunNow | undefined>> {
  const found = await readRunWith(database, ref, ...runOfJob(ref.organization_id, ref.id));
  return found && { row: found.row, claimed: runIn(found.read) };
}

export const runRule = runRuleWith(actions);
