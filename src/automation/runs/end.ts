import { now } from '../../platform/database/columns.ts';
import { isOutage, sqlStateOf } from '../../platform/database/errors.ts';
import { runFailed } from '../../platform/events/automation-events.ts';
import type { JobError } from '../../platform/ledger/jobs.entity.ts';
import { endDoneOfSubject } from '../../platform/ledger/release.ts';
import type { OwnTx, TenantTx } from '../../platform/ledger/tx.ts';
import type { Step } from '../definition/definition.ts';
import { runJobName } from '../jobs.ts';
import { maxFailuresInARow } from '../limits.ts';
import { moveRule } from '../rules/rule-tx.ts';
import { AutomationStep, AutomationWait } from '../run.entity.ts';
import { endSchedule } from '../schedule/next.ts';
import type { CancelReason } from '../states.ts';
import { definitionOf } from './definition-of.ts';
import { positionOf, stepAt } from './position.ts';
import { type RunNow, runNow } from './run-now.ts';
import { assertAllowed, includeSteps, moveRun } from './run-tx.ts';

/** `step`: the id of the one that failed; empty: none had begun. */
export type Failure = { step: string; error: JobError };

/** SQL: a number of the row itself, which several runs change at once. */
const countStatement = `
  update automation_rules
     set failures = failures + 1
   where organization_id = $1
     and id = $2
  returning failures, status = 'live' and deleted_at is null as is_live`;

/** Counts it on the rule, and tells of it. Needs the locks of the rule and of the run. */
export async function tellFailure({ own }: TenantTx, run: RunNow, { step, error }: Failure): Promise<void> {
  own.emit(runFailed, {
    run_id: run.id,
    rule_id: run.rule_id,
    organization_id: own.organizationId,
    version: run.version,
    step,
    code: error.code,
    subject_type: run.subject_type,
    subject_id: run.subject_id,
  });
  const [rule] = await own.sql<{ failures: number; is_live: boolean }>(countStatement, [run.rule_id]);
  if (rule?.is_live && rule.failures >= maxFailuresInARow) await pauseByItself(own, run.rule_id);
}

/** A rule that only fails begins no more runs; those that are there go on. */
async function pauseByItself(own: OwnTx, ruleId: string): Promise<void> {
  await endSchedule(own, ruleId);
  const set = { next_at: null, tick_job_id: null, failures: 0 };
  await moveRule(own, ruleId, 'pause', { to: 'paused', reason: 'only_fails', set });
}

/**
 * Not by its own steps, which end it with what they did. Needs the locks of the rule and of the run. The caller ends its job. Throws 409 for one that has
 * ended.
 */
export async function failRun(tx: TenantTx, before: RunNow, error: JobError): Promise<void> {
  const position = positionOf(before.position);
  const step = await stepOf(tx.own, before);
  const taken = step && { number: before.steps_run + 1, step_id: step.id, type: step.type, state: 'failed' as const, error };
  const failure = { step: step?.id ?? '', error };
  includeSteps(
    tx.own,
    before,
    { ...kept(before), actions: ['fail'], position, failed_step: failure.step, error, job_id: null },
    taken ? [taken] : [],
    { endsWaits: true },
  );
  await tellFailure(tx, before, failure);
}

/** Undefined, too, where that is what the run failed of: its end must not fail of it again. */
async function stepOf(own: OwnTx, run: RunNow): Promise<Step | undefined> {
  try {
    return stepAt((await definitionOf(own, run)).steps, positionOf(run.position).at);
  } catch (error) {
    if (isOutage(error) || sqlStateOf(error)) throw error;
    return undefined;
  }
}

const kept = ({ vars, steps_run }: RunNow) => ({ vars, steps_run });

/**
 * What it did so far stays done; a call that is under way may still have its effect. Its job is ended whatever run that is in: a worker at it finds its row
 * gone, and writes nothing more. Idempotent. Needs the lock of the run. Throws 404, and 409 for one that has ended otherwise. `actor`: who asked for it.
 */
export async function cancelRun(tx: TenantTx, id: string, reason: CancelReason, actor = ''): Promise<void> {
  const { own } = tx;
  const before = await runNow(own, id);
  assertAllowed('cancel', before);
  if (before.state === 'cancelled') return;
  await own.delete(AutomationWait, { run_id: id });
  await endSteps(own, id, `The run was cancelled${actor ? ` by ${actor}` : ''}`);
  endDoneOfSubject(own, runJobName, id);
  await moveRun(own, before, 'cancel', { reason, waiting_for: null, wakes_at: null, job_id: null });
}

/** A step that waits is passed over; of one that calls outside nobody knows. */
async function endSteps(own: OwnTx, id: string, message: string): Promise<void> {
  const ended_at = now();
  const passed = { code: 'cancelled', message };
  const unknown = { code: 'outcome_unknown', message: `${message} before the call was answered` };
  await own.update(AutomationStep, { run_id: id, state: 'waiting' }, { state: 'skipped', error: passed, ended_at });
  await own.update(AutomationStep, { run_id: id, state: 'calling' }, { state: 'failed', error: unknown, ended_at });
}
