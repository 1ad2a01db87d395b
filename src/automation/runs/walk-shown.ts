import { AppError } from '../../platform/errors.ts';
import type { JobError } from '../../platform/ledger/jobs.entity.ts';
import { slices } from '../../platform/load/slices.ts';
import type { Action, StepContext } from '../actions/action.ts';
import { readFieldsFor } from '../actions/read-fields.ts';
import type { Clock } from '../conditions/evaluate.ts';
import type { Step } from '../definition/definition.ts';
import { withoutMarks } from '../secret-marks.ts';
import { opensAt } from './opening.ts';
import { readBy } from './reads.ts';
import { errorOf, isRefusal } from './refusal.ts';
import type { RunScope } from './scope.ts';
import type { Asked, ShownConditions } from './shown-conditions.ts';
import { withVars } from './vars.ts';
import { durationMs, waitUntil } from './wait-until.ts';

type Of<Type extends Step['type']> = Extract<Step, { type: Type }>;

/**
 * What a step would do. `within`: the list that it stands in, such as `on_event` of the step `ask`; both of a wait for an event are shown. `input`: rendered, or as
 * it is written where it reads what a step before would give. `error`: why it would be refused, as far as can be known now.
 */
export type Shown = {
  step_id: string;
  type: string;
  does: 'act' | 'call' | 'choose' | 'set' | 'wait' | 'stop';
  within: { step_id: string; list: string } | null;
  input: unknown;
  is_rendered: boolean;
  branch?: number | 'else' | null;
  conditions?: Asked[];
  error: JobError | null;
};
type Within = Shown['within'];

/** The way of a run that writes nothing: waits are passed, and both lists of a wait for an event are walked. */
export class Walk {
  private readonly actions: ReadonlyMap<string, Action>;
  private readonly scope: RunScope;
  private readonly context: StepContext;
  private readonly clock: Clock;
  private readonly shownConditions: ShownConditions;
  private readonly turnOfOthers = slices();
  private readonly shown: Shown[] = [];
  private isStopped = false;

  constructor(
    actions: ReadonlyMap<string, Action>,
    scope: RunScope,
    context: StepContext,
    clock: Clock,
    shownConditions: ShownConditions,
  ) {
    this.actions = actions;
    this.scope = scope;
    this.context = context;
    this.clock = clock;
    this.shownConditions = shownConditions;
  }

  async through(steps: Step[]): Promise<Shown[]> {
    await this.walk(steps, null);
    return this.shown;
  }

  private async walk(steps: Step[], within: Within): Promise<void> {
    for (const step of steps) {
      if (this.isStopped) return;
      await this.turnOfOthers();
      await this.show(step, within);
    }
  }

  private show(step: Step, within: Within): Promise<void> {
    switch (step.type) {
      case 'branch':
        return this.branch(step as Of<'branch'>, within);
      case 'wait_for':
        return this.waitFor(step as Of<'wait_for'>, within);
      default:
        return this.plain(step, within);
    }
  }

  private add(step: Step, within: Within, does: Shown['does'], more: Partial<Shown> = {}): void {
    this.shown.push({ step_id: step.id, type: step.type, does, within, input: null, is_rendered: true, error: null, ...more });
  }

  private async branch(step: Of<'branch'>, within: Within): Promise<void> {
    const conditions: Asked[] = [];
    for (const [index, branch] of step.branches.entries()) {
      await this.turnOfOthers();
      const asked = await this.scope.holds(branch.conditions);
      conditions.push(this.shownConditions.of(asked));
      if (!asked.holds) continue;
      this.add(step, within, 'choose', { branch: index, conditions });
      return this.walk(branch.steps, { step_id: step.id, list: `branches[${index}]` });
    }
    this.add(step, within, 'choose', { branch: step.else ? 'else' : null, conditions });
    return this.walk(step.else ?? [], { step_id: step.id, list: 'else' });
  }

  private async waitFor(step: Of<'wait_for'>, within: Within): Promise<void> {
    const until = this.time(this.clock.now.getTime() + durationMs(step.timeout));
    this.add(step, within, 'wait', { input: { event: step.event, until } });
    const { vars } = this.scope;
    let areStopped = true;
    for (const list of ['on_event', 'on_timeout'] as const) {
      this.isStopped = false;
      this.scope.vars = vars;
      await this.walk(step[list] ?? [], { step_id: step.id, list });
      areStopped &&= this.isStopped;
    }
    this.isStopped = areStopped;
  }

  private time = (ms: number) => new Date(ms).toISOString();

  /** Of a step without lists of steps. */
  private async plain(step: Step, within: Within): Promise<void> {
    const { id: _, type: __, ...texts } = step;
    const action = this.actions.get(step.type);
    const does = doesOf(step, action);
    try {
      this.add(step, within, does, { input: await this.inputOf(step, action, texts) });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const isOpen = this.scope.names(readBy(step)).includes('steps');
      const input = error instanceof StepFault ? error.input : withoutMarks(texts);
      const is_rendered = error instanceof StepFault;
      this.add(step, within, does, { input, is_rendered, error: isOpen && !is_rendered ? null : errorOf(error) });
    }
    if (step.type === 'stop') this.isStopped = true;
  }

  private async inputOf(step: Step, action: Action | undefined, texts: Record<string, unknown>): Promise<unknown> {
    if (step.type === 'wait') return this.wait(step as Of<'wait'>);
    const rendered = (await this.scope.render(texts)) as Record<string, unknown>;
    if (step.type === 'set_vars') this.scope.vars = withVars(this.scope.vars, rendered.vars as object);
    if (step.type === 'set_vars' || step.type === 'stop') return rendered;
    const input = withoutMarks(rendered);
    if (!action) throw new StepFault(new AppError('invalid_request', `There is no action ${step.type}`), input);
    const { error, value } = await readFieldsFor<Record<string, unknown>>(this.context.own, action.fields, rendered);
    if (error) throw new StepFault(new AppError('invalid_request', error.message), input);
    if (action.kind === 'database')
      await action.prepare(this.context, value).catch((fault) => {
        throw isRefusal(fault) ? new StepFault(fault, input) : fault;
      });
    return input;
  }

  private async wait({ until, for: duration, business_hours }: Of<'wait'>): Promise<unknown> {
    const { now, hours, timezone } = this.clock;
    const given = until === undefined ? undefined : await this.scope.render<unknown>(until);
    const moment = waitUntil(given, duration, timezone, now.getTime());
    return { until: this.time(business_hours ? opensAt(hours, timezone, Math.max(moment, now.getTime())) : moment) };
  }
}

/** Of a step that was rendered. */
class StepFault extends AppError {
  readonly input: unknown;

  constructor({ code, message, details }: AppError, input: unknown) {
    super(code, message, { details });
    this.input = input;
  }
}

function doesOf({ type }: Step, action: Action | undefined): Shown['does'] {
  if (type === 'wait') return 'wait';
  if (type === 'stop') return 'stop';
  if (type === 'set_vars') return 'set';
  return action?.kind === 'call' ? 'call' : 'act';
}
