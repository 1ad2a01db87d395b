import { runLock } from '../../src/automation/jobs.ts';
import { cancelRun } from '../../src/automation/runs/end.ts';
import { findRun } from '../../src/automation/runs/get.ts';
import { retryRun } from '../../src/automation/runs/retry.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleTime } from '../../src/platform/examples.ts';
import type { TenantTx } from '../../src/platform/ledger/tx.ts';
import { endpoint, type Input, ok, type Reply } from '../http/endpoint.ts';
import { withExample } from '../http/view.ts';
import { aboutRun, runView, toRunView } from './run-schemas.ts';

const moving = (
  { params, caller, write }: Pick<Input<unknown, unknown>, 'params' | 'caller' | 'write'>,
  move: (tx: TenantTx, id: string) => Promise<void>,
): Promise<Reply> =>
  write({ locks: [runLock(params.runID!)] }, async (tx) => {
    await move(tx, params.runID!);
    return ok(toRunView(caller)(await findRun(tx.own, params.runID!)));
  });

export const cancelOneRun = endpoint({
  ...aboutRun,
  method: 'post',
  path: '/v1/automation/runs/:runID/cancel',
  operationId: 'automation.runs.cancel',
  scope: 'automation:write',
  summary: 'Cancel a run',
  description:
    'What it did stays done, and after the reply it does no more; a call outside that is under way may still have its effect. Idempotent; a 409, which names the state, for one that has ended otherwise.',
  responses: {
    200: withExample(runView, { state: 'cancelled', reason: 'asked', failed_step: null, error: null, ended_at: exampleTime }),
  },
  errors: [409],
  handler: (input) => moving(input, (tx, id) => cancelRun(tx, id, 'asked', actorOf(input.caller))),
});

export const retryOneRun = endpoint({
  ...aboutRun,
  method: 'post',
  path: '/v1/automation/runs/:runID/retry',
  operationId: 'automation.runs.retry',
  scope: 'automation:trigger',
  summary: 'Let a failed run go on, from the step that failed',
  description:
    'It keeps the version it began with. A call outside whose outcome is unknown is made again: look whether it had its effect. Needs the scopes that a publication of that version needs. A 409 for one that has not failed (`run.state`), whose subject (`run.subject_gone`), rule (`run.rule_deleted`), version (`run.version_gone`) or event (`run.event_gone`) is no longer there, or beside which another of the rule lives (`run.subject_busy`).',
  responses: {
    200: withExample(runView, { state: 'queued', failed_step: null, error: null, ended_at: null, retries: 1 }),
  },
  errors: [409],
  handler: (input) => moving(input, (tx, id) => retryRun(tx, id, input.caller)),
});
