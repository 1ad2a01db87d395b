import { cut } from '../../platform/cut.ts';
import { AppError } from '../../platform/errors.ts';
import { slices } from '../../platform/load/slices.ts';
import type { Action, CallAction, DatabaseAction, StepContext } from '../actions/action.ts';
import { readFieldsFor } from '../actions/read-fields.ts';
import type { Definition, Step } from '../definition/definition.ts';
import { maxStepsOfRun } from '../limits.ts';
import { withoutMarks } from '../secret-marks.ts';
import { awaitedSubjects } from './awaited.ts';
import type { Batch, Lesson, Next } from './batch.ts';
import { contextOf, presentOnce } from './context-of.ts';
import { definitionOf } from './definition-of.ts';
import { Draft } from './draft.ts';
import { Listeners } from './listeners.ts';
import { opensAt } from './opening.ts';
import { outputsOf } from './outputs.ts';
import type { RunDeps } from './parts.ts';
import { stepsFrom } from './position.ts';
import { isTurn, readBy } from './reads.ts';
import { errorOf, isRefusal } from './refusal.ts';
import type { RunNow } from './run-now.ts';
import { RunScope } from './scope.ts';
import { withVars } from './vars.ts';
import { durationMs, waitUntil } from './wait-until.ts';

type Of<Type extends Step['type']> = Extract<Step, { type: Type }>;

/** A run may begin a moment before its time. */
const earlyMs = 50;

/**
 * The next steps of a run that one transaction can take, with what follows them. Looks only, and writes nothing. `lesson`: of the last plan. `claim`: of the call that this worker may have claimed.
 */
export async function planBatch(deps: RunDeps, run: RunNow, claim: string, lesson: Lesson): Promise<Batch> {
  return new Plan(deps, run, await definitionOf(deps.own, run), claim, lesson).whole();
}

class Plan {
  private readonly deps: RunDeps;
  private readonly run: RunNow;
  private readonly rule: Definition;
  private readonly claim: string;
  private readonly lesson: Lesson;
  private readonly draft: Draft;
  private scope: RunScope;
  private isClosed = false;
  private made: StepContext | undefined;
  private readonly listeners: Listeners;
  private readonly turnOfOthers = slices();
  /** Rendered, of the step that is tried. */
  private input: unknown;

  constructor(deps: RunDeps, run: RunNow, rule: Definition, claim: string, lesson: Lesson) {
    this.deps = deps;
    this.run = run;
    this.rule = rule;
    this.claim = claim;
    this.lesson = lesson;
    this.draft = new Draft(run, rule.steps);
    this.listeners = new Listeners(deps.own, deps.actions);
    this.scope = this.scopeOf(this.draft.position.event_id ?? run.event_id);
  }

  async whole(): Promise<Batch> {
    const { next, writes, vars } = await this.draft.settled(await this.toNext(), this.scope.vars);
    const { taken, position, stepsRun, endsWaits } = this.draft;
    const unheard = await this.listeners.noneOf(writes);
    return { run: this.run, taken, writes, position, vars, stepsRun, endsWaits, next, ...(unheard && { unheard }) };
  }

  private async toNext(): Promise<Next> {
    if (this.run.is_rule_deleted) return { kind: 'cancel', reason: 'rule_deleted' };
    let next = await this.resumed();
    if (!next) await this.lookAhead();
    while (!next) {
      next = await this.step();
      if (next) break;
      // Twenty runs may be at it, and the Liquid of a step takes some ms.
      const turn = this.turnOfOthers();
      if (turn) await turn;
    }
    return next;
  }

  private scopeOf(eventId: string | null): RunScope {
    const { run, deps } = this;
    const refs = { eventId, subjectType: run.subject_type, subjectId: run.subject_id, contactId: run.contact_id, vars: run.vars };
    const clock = { now: new Date(run.now_ms), hours: run.business_hours, timezone: run.timezone };
    return new RunScope(deps.own, refs, () => outputsOf(deps.own, run.id), clock, {}, run.contact);
  }

  /** What the next steps read is read at once. */
  private lookAhead(): Promise<void> {
    const steps: Step[] = [];
    for (const step of stepsFrom(this.rule.steps, this.draft.position.at)) {
      steps.push(step);
      if (isTurn(step)) break;
    }
    if (this.run.mode === 'live') this.listeners.ask(steps);
    return this.scope.need(...steps.map(readBy));
  }

  /** After a wait: is it over, and does what made the run begin still hold? */
  private async resumed(): Promise<Next | undefined> {
    const { draft } = this;
    const { step } = draft;
    const { waiting } = draft.position;
    if (!waiting || !step) return undefined;
    const { event_id, awaits = false } = waiting;
    const until = Date.parse(waiting.until);
    const opens = step.type === 'wait' && step.business_hours ? this.opensAt(until) : until;
    if (!event_id && this.run.now_ms < opens - earlyMs) return { kind: 'wait', until: opens, type: step.type };
    draft.endsWaits = awaits;
    if (event_id) draft.position = { ...draft.position, event_id };
    if (!awaits) draft.took(step, 'done', {});
    else if (event_id) draft.took(step, 'done', { output: { event_id } }, 'on_event');
    else draft.took(step, 'done', { output: { timed_out: true } }, 'on_timeout');
    const stops = await this.rechecked((step as Of<'wait'>).recheck);
    if (event_id) this.scope = this.scopeOf(event_id);
    return stops;
  }

  /** The conditions ask about the event that began the run. */
  private async rechecked(recheck = true): Promise<Next | undefined> {
    const { exit_when } = this.rule;
    const conditions = recheck ? this.rule.conditions : null;
    if (!exit_when && !conditions) return undefined;
    const scope = this.draft.position.event_id ? this.scopeOf(this.run.event_id) : this.scope;
    await scope.need(exit_when, conditions);
    if (exit_when && (await scope.holds(exit_when)).holds) return { kind: 'cancel', reason: 'exit_when' };
    if (conditions && !(await scope.holds(conditions)).holds) return { kind: 'cancel', reason: 'conditions' };
    return undefined;
  }

  /** Not before now, and only while the organization is open. */
  private opensAt(until: number): number {
    const { business_hours, timezone, now_ms } = this.run;
    return opensAt(business_hours, timezone, Math.max(until, Math.floor(now_ms)));
  }

  /** Undefined: it was taken, and another may join it. */
  private async step(): Promise<Next | undefined> {
    const { draft } = this;
    const { step, stepsRun, writes } = draft;
    const { refused } = this.lesson;
    if (!step) return { kind: 'succeed' };
    if (refused?.number === stepsRun + 1) {
      if (refused.isFirst) return draft.failed(step, refused.error, refused.input);
      if (writes.length > 0) return { kind: 'go_on' };
    }
    const max = Math.min(this.rule.limits.steps ?? maxStepsOfRun, maxStepsOfRun);
    if (stepsRun >= max) return draft.failed(step, { code: 'limit_reached', message: `A run takes at most ${max} steps` });
    if (this.mustBreakBefore(step)) return { kind: 'go_on' };
    try {
      return await this.tried(step);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      // What stands before it in the same transaction may have been what it lacks.
      return writes.length > 0 ? { kind: 'go_on' } : this.refusedBy(step, error);
    }
  }

  /** Without effects, a step that names what another one would have given is shown as it is written. */
  private refusedBy(step: Step, error: AppError): Next | undefined {
    if (this.run.mode === 'live' || !this.scope.names(readBy(step)).includes('steps'))
      return this.draft.failed(step, errorOf(error), this.input);
    const { id: _, type: __, ...input } = step;
    this.draft.took(step, 'skipped', { input });
    // Its reason alone could not be said.
    return step.type === 'stop' ? { kind: 'succeed', reason: '' } : undefined;
  }

  /** It reads what a step of the batch changes, or must not share its transaction. */
  private mustBreakBefore(step: Step): boolean {
    if (this.draft.writes.length === 0) return false;
    const action = this.deps.actions.get(step.type);
    if (action && (this.isClosed || this.lesson.isSingle || (action.kind === 'database' && action.isAlone))) return true;
    const parts = readBy(step);
    return this.draft.isReadBy(JSON.stringify(parts), this.scope.names(parts));
  }

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
      await this.turnOfOthers();
      if (!(await this.scope.holds(conditions)).holds) continue;
      this.draft.took(step, 'done', { output: { branch: index } }, `branches.${index}`);
      return;
    }
    this.draft.took(step, 'done', { output: { branch: otherwise ? 'else' : null } }, 'else');
  }

  private async setVars(step: Of<'set_vars'>): Promise<undefined> {
    const set = await this.scope.render(step.vars);
    this.scope.vars = withVars(this.scope.vars, set);
    this.draft.took(step, 'done', { output: set });
  }

  private async stop(step: Of<'stop'>): Promise<Next> {
    const reason = step.reason === undefined ? '' : cut(String(await this.scope.render(step.reason)), 1_000);
    this.draft.took(step, 'done', { output: { reason } });
    return { kind: 'succeed', reason };
  }

  private async wait(step: Of<'wait'>): Promise<Next | undefined> {
    const now = Math.floor(this.run.now_ms);
    const given = step.until === undefined ? undefined : await this.scope.render<unknown>(step.until);
    const asked = waitUntil(given, step.for, this.run.timezone, now);
    const until = step.business_hours ? this.opensAt(asked) : asked;
    const input = { until: new Date(until).toISOString() };
    if (this.run.mode === 'log') this.draft.took(step, 'skipped', { input });
    else if (until <= now) this.draft.took(step, 'done', { input });
    else return this.draft.waiting(step, until);
    return undefined;
  }

  private async waitFor(step: Of<'wait_for'>): Promise<Next | undefined> {
    const until = Math.floor(this.run.now_ms) + durationMs(step.timeout);
    if (this.run.mode === 'live') {
      const subjects = await awaitedSubjects(this.deps.own, this.run, step.event);
      return this.draft.waiting(step, until, { event: step.event, subjects });
    }
    this.draft.took(step, 'skipped', { input: { event: step.event, until: new Date(until).toISOString() } }, 'on_timeout');
    return undefined;
  }

  private async act(step: Step): Promise<Next | undefined> {
    const action = this.deps.actions.get(step.type);
    if (!action) throw new AppError('invalid_request', `There is no action ${step.type} any more`);
    const fields = await this.fieldsOf(action, step);
    if (this.run.mode === 'log') {
      this.draft.took(step, 'skipped', { input: this.input });
      return undefined;
    }
    return action.kind === 'call' ? this.call(step, action, fields) : this.write(step, action, fields);
  }

  private async fieldsOf(action: Action, { id: _, type: __, ...texts }: Step): Promise<Record<string, unknown>> {
    const rendered = await this.scope.render(texts);
    this.input = withoutMarks(rendered);
    const { error, value } = await readFieldsFor<Record<string, unknown>>(this.deps.own, action.fields, rendered);
    if (error) throw new AppError('invalid_request', error.message);
    return value as Record<string, unknown>;
  }

  private async contextOf(): Promise<StepContext> {
    const { deps, run } = this;
    const isRead = (id: string) => run.contact?.id === id || this.scope.hasContact(id);
    this.made ??= { ...(await contextOf(deps, run)), present: presentOnce(deps.own, isRead) };
    return this.made;
  }

  private async write(step: Step, action: DatabaseAction, fields: Record<string, unknown>): Promise<undefined> {
    const prepared = action.prepare(await this.contextOf(), fields);
    // It is awaited when the steps behind it have asked, too.
    prepared.catch(() => {});
    this.draft.wrote(step, this.input, prepared, this.scope.vars);
    this.isClosed = action.isAlone === true;
  }

  private async call(step: Step, action: CallAction, fields: Record<string, unknown>): Promise<Next> {
    const pool = action.pool(this.deps.own.organizationId, fields);
    if (this.deps.job.pool !== pool.id) return { kind: 'move', pool };
    const { draft } = this;
    if (draft.taken.length > 0) return { kind: 'go_on' };
    const { calling } = draft.position;
    const isOurs = calling?.claim === this.claim;
    if (calling?.claim && !isOurs && !calling.is_repeatable)
      return draft.failed(step, { code: 'outcome_unknown', message: 'The worker died before the call was answered' }, this.input);
    draft.position = { ...draft.position, calling: { claim: this.claim, is_repeatable: action.isRepeatable(fields) } };
    // The claim of this very attempt may have been written, and its answer lost.
    if (!isOurs) draft.calling(step, this.input);
    return { kind: 'call', call: { step, action, fields, context: await this.contextOf() } };
  }
}
