import { AppError } from '../../platform/errors.ts';
import type { JobError } from '../../platform/ledger/jobs.entity.ts';
import type { Action, CallAction, DatabaseAction, StepContext } from '../actions/action.ts';
import type { Definition, Step } from '../definition/definition.ts';
import { maxStepsOfRun } from '../limits.ts';
import { withoutMarks } from '../secret-marks.ts';
import type { StepState } from '../states.ts';
import { awaitedSubjects } from './awaited.ts';
import type { Batch, Next, Refused } from './batch.ts';
import { changedBy } from './changes.ts';
import { contextOf } from './context-of.ts';
import { definitionOf } from './definition-of.ts';
import { opensAt } from './opening.ts';
import { outputsOf } from './outputs.ts';
import type { RunDeps } from './parts.ts';
import { after, into, type Position, positionOf, stepAt, stepsFrom } from './position.ts';
import { errorOf, isRefusal } from './refusal.ts';
import type { RunNow } from './run-now.ts';
import type { TakenStep } from './run-tx.ts';
import { RunScope } from './scope.ts';
import { assertWithin, durationMs, momentOf } from './wait-until.ts';

type Of<Type extends Step['type']> = Extract<Step, { type: Type }>;

/** A run may begin a moment before its time. */
const earlyMs = 50;
const maxVarsBytes = 16 * 1024;

/**
 * The next steps of a run that one transaction can take, with what follows them. Looks only, and writes nothing. `refused`: what happened to the last
 * plan. `claim`: of the call that this worker may have claimed.
 */
export async function planBatch(deps: RunDeps, run: RunNow, claim: string, refused?: Refused): Promise<Batch> {
  return new Plan(deps, run, await definitionOf(deps.own, run), claim, refused).whole();
}

class Plan {
  private readonly deps: RunDeps;
  private readonly run: RunNow;
  private readonly rule: Definition;
  private readonly claim: string;
  private readonly refused: Refused | undefined;
  private readonly taken: TakenStep[] = [];
  private readonly writes: Batch['writes'] = [];
  private readonly changed = new Set<string>();
  private position: Position;
  private scope: RunScope;
  private stepsRun: number;
  private endsWaits = false;
  private isClosed = false;
  private made: StepContext | undefined;

  constructor(deps: RunDeps, run: RunNow, rule: Definition, claim: string, refused: Refused | undefined) {
    this.deps = deps;
    this.run = run;
    this.rule = rule;
    this.claim = claim;
    this.refused = refused;
    this.position = positionOf(run.position);
    this.stepsRun = run.steps_run;
    this.scope = this.scopeOf(this.position.event_id ?? run.event_id);
  }

  async whole(): Promise<Batch> {
    const next = await this.toNext();
    const { run, taken, writes, position, stepsRun, endsWaits } = this;
    return { run, taken, writes, position, vars: this.scope.vars, stepsRun, endsWaits, next };
  }

  private async toNext(): Promise<Next> {
    if (this.run.is_rule_deleted) return { kind: 'cancel', reason: 'rule_deleted' };
    let next = await this.resumed();
    if (!next) await this.lookAhead();
    while (!next) next = await this.step();
    return next;
  }

  private scopeOf(eventId: string | null): RunScope {
    const { run, deps } = this;
    const refs = { eventId, subjectType: run.subject_type, subjectId: run.subject_id, contactId: run.contact_id, vars: run.vars };
    const clock = { now: new Date(run.now_ms), hours: run.business_hours, timezone: run.timezone };
    return new RunScope(deps.own, refs, () => outputsOf(deps.own, run.id), clock);
  }

  /** What the next steps read is read at once. */
  private lookAhead(): Promise<void> {
    const steps: Step[] = [];
    for (const step of stepsFrom(this.rule.steps, this.position.at)) {
      steps.push(step);
      if (isTurn(step)) break;
    }
    return this.scope.need(...steps.map(readBy));
  }

  /** After a wait: is it over, and does what made the run begin still hold? */
  private async resumed(): Promise<Next | undefined> {
    const { waiting } = this.position;
    const step = stepAt(this.rule.steps, this.position.at);
    if (!waiting || !step) return undefined;
    const hasCome = waiting.event_id !== undefined;
    const until = Date.parse(waiting.until);
    const opens = step.type === 'wait' && step.business_hours ? this.opensAt(until) : until;
    if (!hasCome && this.run.now_ms < opens - earlyMs) return { kind: 'wait', until: opens, type: step.type };
    this.endsWaits = waiting.awaits === true;
    if (hasCome) this.position = { ...this.position, event_id: waiting.event_id };
    const output = hasCome ? { event_id: waiting.event_id } : waiting.awaits ? { timed_out: true } : {};
    const at = step.type === 'wait_for' ? this.into(hasCome ? 'then' : 'on_timeout') : this.after();
    this.took(step, 'done', { output }, at);
    const stops = await this.rechecked((step as Of<'wait'>).recheck);
    if (hasCome) this.scope = this.scopeOf(waiting.event_id!);
    return stops;
  }

  /** The conditions ask about the event that began the run. */
  private async rechecked(recheck = true): Promise<Next | undefined> {
    const { exit_when, conditions } = this.rule;
    const asked = recheck ? conditions : null;
    if (!exit_when && !asked) return undefined;
    const scope = this.position.event_id ? this.scopeOf(this.run.event_id) : this.scope;
    await scope.need(exit_when, asked);
    if (exit_when && (await scope.holds(exit_when)).holds) return { kind: 'cancel', reason: 'exit_when' };
    if (asked && !(await scope.holds(asked)).holds) return { kind: 'cancel', reason: 'conditions' };
    return undefined;
  }

  /** Not before now, and only while the organization is open. */
  private opensAt(until: number): number {
    const { business_hours, timezone, now_ms } = this.run;
    return opensAt(business_hours, timezone, Math.max(until, Math.floor(now_ms)));
  }

  private after = () => after(this.rule.steps, this.position.at);
  private into = (list: string) => into(this.rule.steps, this.position.at, list);

  private took(step: Step, state: StepState, more: Partial<TakenStep>, at: Position['at']): TakenStep {
    this.stepsRun += 1;
    const row: TakenStep = { number: this.stepsRun, step_id: step.id, type: step.type, state, ...more };
    this.taken.push(row);
    const { event_id } = this.position;
    this.position = { at, ...(event_id && { event_id }) };
    return row;
  }

  /** Undefined: it was taken, and another may join it. */
  private async step(): Promise<Next | undefined> {
    const step = stepAt(this.rule.steps, this.position.at);
    if (!step) return { kind: 'succeed' };
    const { refused, stepsRun } = this;
    if (refused?.number === stepsRun + 1) {
      this.input = refused.input;
      if (refused.isFirst) return this.failed(step, refused.error);
      if (this.writes.length > 0) return { kind: 'go_on' };
    }
    const max = Math.min(this.rule.limits.steps ?? maxStepsOfRun, maxStepsOfRun);
    if (stepsRun >= max) return this.failed(step, { code: 'limit_reached', message: `A run takes at most ${max} steps` });
    if (this.mustBreakBefore(step)) return { kind: 'go_on' };
    try {
      return await this.tried(step);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // What stands before it in the same transaction may have been what it lacks.
      return this.writes.length > 0 ? { kind: 'go_on' } : this.failed(step, errorOf(error));
    }
  }

  /** It reads what a step of the batch changes, or must not share its transaction. */
  private mustBreakBefore(step: Step): boolean {
    if (this.writes.length === 0) return false;
    const action = this.deps.actions.get(step.type);
    if (action && (this.isClosed || (action.kind === 'database' && action.isAlone))) return true;
    const parts = readBy(step);
    const text = JSON.stringify(parts);
    if (this.writes.some(({ row }) => text.includes(row.step_id) && /\bsteps\b/.test(text))) return true;
    return this.scope.names(parts).some((root) => this.changed.has(root));
  }

  private failed(step: Step, error: JobError): Next {
    const number = this.stepsRun + 1;
    this.taken.push({ number, step_id: step.id, type: step.type, state: 'failed', input: this.input, error });
    return { kind: 'fail', failure: { step: step.id, error } };
  }

  /** Rendered, of the step that is tried. */
  private input: unknown;

  private tried(step: Step): Promise<Next | undefined> {
    this.input = undefined;
    switch (step.type) {
      case 'branch':
        return this.branch(step as Of<'branch'>);
      case 'set_vars':
        return this.setVars(step as Of<'set_vars'>);
      case 'stop':
        return this.stop(step as Of<'stop'>);
      case 'wait':
        return this.wait(step as Of<'wait'>);
      case 'wait_for':
        return this.waitFor(step as Of<'wait_for'>);
      default:
        return this.act(step);
    }
  }

  private async branch(step: Of<'branch'>): Promise<undefined> {
    const { branches, else: otherwise } = step;
    for (const [index, { conditions }] of branches.entries()) {
      if (!(await this.scope.holds(conditions)).holds) continue;
      this.took(step, 'done', { output: { branch: index } }, this.into(`branches.${index}`));
      return;
    }
    this.took(step, 'done', { output: { branch: otherwise ? 'else' : null } }, this.into('else'));
  }

  private async setVars(step: Of<'set_vars'>): Promise<undefined> {
    const set = await this.scope.render(step.vars);
    const vars = { ...this.scope.vars, ...set };
    if (Buffer.byteLength(JSON.stringify(vars)) > maxVarsBytes)
      throw new AppError('limit_reached', `The variables of a run have at most ${maxVarsBytes} bytes`);
    this.scope.vars = vars;
    this.took(step, 'done', { output: set }, this.after());
  }

  private async stop(step: Of<'stop'>): Promise<Next> {
    const reason = step.reason === undefined ? '' : String(await this.scope.render(step.reason)).slice(0, 1_000);
    this.took(step, 'done', { output: { reason } }, this.after());
    return { kind: 'succeed', reason };
  }

  private async wait(step: Of<'wait'>): Promise<Next | undefined> {
    const now = Math.floor(this.run.now_ms);
    const asked = step.until === undefined ? now + durationMs(step.for ?? {}) : await this.untilOf(step.until);
    const until = step.business_hours ? this.opensAt(asked) : asked;
    const input = { until: new Date(until).toISOString() };
    if (this.run.mode === 'log') this.took(step, 'skipped', { input }, this.after());
    else if (until <= now) this.took(step, 'done', { input }, this.after());
    else return this.waiting(step, until);
    return undefined;
  }

  private async untilOf(text: string): Promise<number> {
    return assertWithin(momentOf(await this.scope.render<unknown>(text), this.run.timezone), this.run.now_ms);
  }

  private async waitFor(step: Of<'wait_for'>): Promise<Next | undefined> {
    const until = Math.floor(this.run.now_ms) + durationMs(step.timeout);
    if (this.run.mode === 'live') {
      const subjects = await awaitedSubjects(this.deps.own, this.run, step.event);
      return this.waiting(step, until, { event: step.event, subjects });
    }
    this.took(step, 'skipped', { input: { event: step.event, until: new Date(until).toISOString() } }, this.into('on_timeout'));
    return undefined;
  }

  private waiting(step: Step, until: number, awaits?: Extract<Next, { kind: 'wait' }>['awaits']): Next {
    const text = new Date(until).toISOString();
    const input = { ...(awaits && { event: awaits.event }), until: text };
    this.taken.push({ number: this.stepsRun + 1, step_id: step.id, type: step.type, state: 'waiting', input });
    this.position = { ...this.position, waiting: { until: text, ...(awaits && { awaits: true }) } };
    return { kind: 'wait', until, type: step.type, ...(awaits && { awaits }) };
  }

  private async act(step: Step): Promise<Next | undefined> {
    const action = this.deps.actions.get(step.type);
    if (!action) throw new AppError('invalid_request', `There is no action ${step.type} any more`);
    const fields = await this.fieldsOf(action, step);
    if (this.run.mode === 'log') {
      this.took(step, 'skipped', { input: this.input }, this.after());
      return undefined;
    }
    return action.kind === 'call' ? this.call(step, action, fields) : this.write(step, action, fields);
  }

  private async fieldsOf(action: Action, { id: _, type: __, ...texts }: Step): Promise<Record<string, unknown>> {
    const rendered = await this.scope.render(texts);
    this.input = withoutMarks(rendered);
    const { error, value } = action.fields.validate(rendered, { abortEarly: true });
    if (error) throw new AppError('invalid_request', error.message);
    return value;
  }

  private async contextOf(): Promise<StepContext> {
    this.made ??= await contextOf(this.deps, this.run);
    return this.made;
  }

  private async write(step: Step, action: DatabaseAction, fields: Record<string, unknown>): Promise<undefined> {
    const prepared = await action.prepare(await this.contextOf(), fields);
    const row = this.took(step, 'done', { input: this.input }, this.after());
    this.writes.push({ row, prepared });
    for (const root of changedBy(step.type)) this.changed.add(root);
    this.isClosed = action.isAlone === true;
  }

  private async call(step: Step, action: CallAction, fields: Record<string, unknown>): Promise<Next> {
    const pool = action.pool(this.deps.own.organizationId, fields);
    if (this.deps.job.pool !== pool.id) return { kind: 'move', pool };
    if (this.taken.length > 0) return { kind: 'go_on' };
    const { calling } = this.position;
    const isLost = calling?.claim !== undefined && calling.claim !== this.claim;
    if (isLost && !calling.is_repeatable)
      return this.failed(step, { code: 'outcome_unknown', message: 'The worker died before the call was answered' });
    const is_repeatable = action.isRepeatable(fields);
    this.position = { ...this.position, calling: { claim: this.claim, is_repeatable } };
    // What the claim of this very attempt wrote is not written again.
    if (calling?.claim !== this.claim)
      this.taken.push({ number: this.stepsRun + 1, step_id: step.id, type: step.type, state: 'calling', input: this.input });
    return { kind: 'call', call: { step, action, fields, context: await this.contextOf() } };
  }
}

/** What follows it is another look. */
const isTurn = ({ type }: Step) => type === 'branch' || type === 'wait_for' || type === 'wait' || type === 'stop';

/** What a step itself reads when it is its turn, without the steps within it. */
function readBy(step: Step): unknown[] {
  switch (step.type) {
    case 'branch':
      return (step as Of<'branch'>).branches.map(({ conditions }) => conditions);
    case 'wait_for':
      return [];
    default:
      return [step];
  }
}
