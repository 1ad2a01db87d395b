import { now } from '../../platform/database/columns.ts';
import type { Change } from '../../platform/database/own.ts';
import { AppError } from '../../platform/errors.ts';
import type { JobError } from '../../platform/ledger/jobs.entity.ts';
import type { PartText } from '../../platform/ledger/part.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { runLock } from '../jobs.ts';
import { AutomationRun } from '../run.entity.ts';
import { isLive, type RunAction, type RunState, runMoves, type StepState } from '../states.ts';
import type { Position } from './position.ts';
import type { RunNow } from './run-now.ts';

const words: Partial<Record<RunAction, string>> = {
  cancel: 'be cancelled',
  retry: 'be retried',
  begin: 'begin',
  succeed: 'succeed',
  fail: 'fail',
};

/** 409, which names the state. */
export function assertAllowed(action: RunAction, { state }: { state: RunState }): RunState {
  const to = runMoves[action][state];
  if (to) return to;
  const message = `The run is ${state}: it cannot ${words[action]} now`;
  throw new AppError('conflict', message, {
    details: [{ field: 'runID', location: 'path', code: 'run.state', message, value: state }],
  });
}

type Fields = Change<(typeof AutomationRun)['~entity']>;

/**
 * The one way from a state to another, beside the steps of the engine (`includeSteps`). Needs the run's lock (`runLock`), under which `before` was read.
 * Throws 409 for what `runMoves` does not have.
 */
export async function moveRun(own: OwnTx, before: RunNow, action: RunAction, set: Fields = {}): Promise<void> {
  own.assertLocked(runLock(before.id));
  const state = assertAllowed(action, before);
  const ended_at = isLive(state) ? null : now();
  await own.update(AutomationRun, { id: before.id }, { state, ended_at, updated_at: now(), ...set });
}

/** Of a step that a run took. */
export type TakenStep = {
  number: number;
  step_id: string;
  type: string;
  state: StepState;
  input?: unknown;
  output?: unknown;
  error?: JobError;
};

/** What the run is after its next steps; the state follows from `actions`. */
export type RunAfter = {
  actions: RunAction[];
  position: Position;
  vars: Record<string, unknown>;
  steps_run: number;
  waiting_for?: string;
  wakes_at?: string;
  failed_step?: string;
  error?: JobError;
  reason?: string;
  job_id: string | null;
};

/**
 * SQL: parts of the ledger's statement (bench: runs). The run is as it was when its steps were looked at: else nothing is written. A merge and an erasure
 * change, without its lock or between its transactions, whom it is about and what it remembers of them.
 */
const movedPart: PartText = (organization, id, stateBefore, positionBefore, jobBefore, after, subject, contact, varsBefore) => `
  moved as (
    update automation_runs r
       set state = x.state, position = x.position, vars = x.vars, steps_run = x.steps_run, waiting_for = x.waiting_for,
           wakes_at = x.wakes_at, failed_step = x.failed_step, error = x.error, reason = coalesce(x.reason, r.reason),
           job_id = x.job_id,
           started_at = coalesce(r.started_at, clock_timestamp()),
           ended_at = case when x.state not in ('queued', 'running') then clock_timestamp() end,
           updated_at = clock_timestamp()
      from jsonb_to_record(${after}::jsonb)
        as x(state text, position jsonb, vars jsonb, steps_run int, waiting_for text, wakes_at timestamptz, failed_step text,
             error jsonb, reason text, job_id uuid)
     where r.organization_id = ${organization}
       and r.id = ${id}
       and r.state = ${stateBefore}::text
       and r.position = ${positionBefore}::jsonb
       and r.job_id is not distinct from ${jobBefore}::uuid
       and r.subject_id = ${subject}
       and r.contact_id is not distinct from ${contact}::uuid
       and r.vars = ${varsBefore}::jsonb
    returning r.id)`;

const isMoved: PartText = () => 'exists (select 1 from moved)';

const stepsPart: PartText = (organization, id, steps) => `
  stepped as (
    insert into automation_steps as s
           (organization_id, run_id, number, step_id, type, state, input, output, error, ended_at)
    select ${organization}::uuid, ${id}::uuid, x.number, x.step_id, x.type, x.state, x.input, x.output, x.error,
           case when x.state in ('done', 'failed', 'skipped') then clock_timestamp() end
      from jsonb_to_recordset(${steps}::jsonb)
        as x(number int, step_id text, type text, state text, input jsonb, output jsonb, error jsonb)
    on conflict (organization_id, run_id, number) do update
       set step_id = excluded.step_id, type = excluded.type, state = excluded.state,
           attempt = s.attempt + case when s.state = 'failed' or excluded.state = 'calling' then 1 else 0 end,
           input = coalesce(excluded.input, s.input), output = excluded.output, error = excluded.error,
           started_at = case when s.state = 'failed' then excluded.started_at else s.started_at end,
           ended_at = excluded.ended_at)`;

/** Where its runs failed one after the other, that is over. Mostly no row. */
const soundPart: PartText = (organization, ruleId) => `
  sound as (
    update automation_rules
       set failures = 0
     where organization_id = ${organization}
       and id = ${ruleId}
       and failures > 0)`;

const waitsPart: PartText = (organization, runId) => `
  awaited as (
    delete from automation_waits
     where organization_id = ${organization}
       and run_id = ${runId})`;

/**
 * The steps that a run took, and what it is afterwards, in the ledger's statement. LocksOutdated: it is no longer what `before` says. `endsWaits`: it has
 * waited for an event until now.
 */
export function includeSteps(
  own: OwnTx,
  before: RunNow,
  after: RunAfter,
  steps: TakenStep[],
  { endsWaits = false }: { endsWaits?: boolean } = {},
): void {
  own.assertLocked(runLock(before.id));
  const { actions, ...set } = after;
  const state = actions.reduce((from, action) => assertAllowed(action, { state: from }), before.state);
  const { organizationId } = own;
  own.include({
    text: movedPart,
    params: [
      ...[organizationId, before.id, before.state, JSON.stringify(before.position), before.job_id],
      JSON.stringify({ ...set, state }),
      ...[before.subject_id, before.contact_id, JSON.stringify(before.vars)],
    ],
    assertion: isMoved,
  });
  if (steps.length > 0) own.include({ text: stepsPart, params: [organizationId, before.id, JSON.stringify(steps)] });
  if (state === 'succeeded') own.include({ text: soundPart, params: [organizationId, before.rule_id] });
  if (endsWaits) own.include({ text: waitsPart, params: [organizationId, before.id] });
}
