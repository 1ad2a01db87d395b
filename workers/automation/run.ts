import type { Action } from '../../src/automation/actions/action.ts';
import { actions } from '../../src/automation/actions/index.ts';
import { advance } from '../../src/automation/runs/advance.ts';
import { runJobOfRule } from '../../src/automation/runs/run-job.ts';
import { isBusy } from '../../src/automation/runs/take-steps.ts';
import { RunOver } from '../../src/platform/ledger/release.ts';
import { handle } from '../handler.ts';

/** Others change what it is about all the time. */
const busyMs = 1_000;

export const runRuleWith = (known: ReadonlyMap<string, Action>) =>
  handle(runJobOfRule, async ({ run_id }, { own, lasting, secrets, http, row, outside, finish, wait }) => {
    try {
      const ended = await advance({ own, transact: lasting, secrets, http, actions: known, job: row, outside }, run_id);
      // It was cancelled, or another job goes on with it.
      return ended.kind === 'over' ? await finish() : ended;
    } catch (error) {
      if (error instanceof RunOver) return { kind: 'stale' };
      if (isBusy(error)) return wait(busyMs, { reason: 'what it is about changes all the time' });
      throw error;
    }
  });

export const runRule = runRuleWith(actions);
