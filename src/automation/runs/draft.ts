import type { JobError } from '../../platform/ledger/jobs.entity.ts';
import type { PreparedStep } from '../actions/action.ts';
import type { Step } from '../definition/definition.ts';
import type { StepState } from '../states.ts';
import type { Batch, Next } from './batch.ts';
import { changedBy, isNamed } from './changes.ts';
import { after, into, type Position, positionOf, stepAt } from './position.ts';
import { errorOf, isRefusal } from './refusal.ts';
import type { RunNow } from './run-now.ts';
import type { TakenStep } from './run-tx.ts';

/** Where the draft was before a step. */
type Mark = { position: Position; taken: number; stepsRun: number; vars: Record<string, unknown> };
/** A step with an effect, while its action looks. */
type Asked = { step: Step; row: TakenStep; before: Mark; prepared: Promise<PreparedStep> };

/** A batch as it grows: the rows of its steps, their writes, and where the run is after them. */
export class Draft {
  readonly run: RunNow;
  position: Position;
  readonly taken: TakenStep[] = [];
  readonly writes: Asked[] = [];
  stepsRun: number;
  endsWaits = false;
  private readonly steps: Step[];
  private readonly changed = new Set<string>();

  constructor(run: RunNow, steps: Step[]) {
    this.run = run;
    this.steps = steps;
    this.position = positionOf(run.position);
    this.stepsRun = run.steps_run;
  }

  /** Undefined: all are done. */
  get step(): Step | undefined {
    return stepAt(this.steps, this.position.at);
  }

  /** The run goes on behind it, or in a list of it. */
  took(step: Step, state: StepState, more: Partial<TakenStep>, list?: string): TakenStep {
    const row = this.row(step, state, more);
    const { at, event_id } = this.position;
    this.stepsRun += 1;
    this.position = { at: list ? into(this.steps, at, list) : after(this.steps, at), ...(event_id && { event_id }) };
    return row;
  }

  wrote(step: Step, input: unknown, prepared: Promise<PreparedStep>, vars: Record<string, unknown>): void {
    const before = { position: this.position, taken: this.taken.length, stepsRun: this.stepsRun, vars };
    this.writes.push({ step, row: this.took(step, 'done', { input }), before, prepared });
    for (const name of changedBy(step.type)) this.changed.add(name);
  }

  /** The actions have looked, all at once. One that is refused ends the batch before it. `vars`: behind all steps. */
  async settled(next: Next, vars: Record<string, unknown>): Promise<Pick<Batch, 'next' | 'writes' | 'vars'>> {
    const writes: Batch['writes'] = [];
    for (const { step, row, before, prepared } of this.writes) {
      try {
        writes.push({ row, prepared: await prepared });
      } catch (error) {
        if (!isRefusal(error)) throw error;
        this.backTo(before);
        // What stands before it in the same transaction may have been what it lacks.
        const instead: Next = writes.length > 0 ? { kind: 'go_on' } : this.failed(step, errorOf(error), row.input);
        return { writes, vars: before.vars, next: instead };
      }
    }
    return { writes, vars, next };
  }

  private backTo({ position, taken, stepsRun }: Mark): void {
    this.position = position;
    this.taken.length = taken;
    this.stepsRun = stepsRun;
  }

  failed(step: Step, error: JobError, input?: unknown): Next {
    this.row(step, 'failed', { input, error });
    return { kind: 'fail', failure: { step: step.id, error } };
  }

  calling(step: Step, input: unknown): void {
    this.row(step, 'calling', { input });
  }

  waiting(step: Step, until: number, awaits?: Extract<Next, { kind: 'wait' }>['awaits']): Next {
    const text = new Date(until).toISOString();
    this.row(step, 'waiting', { input: { ...(awaits && { event: awaits.event }), until: text } });
    this.position = { ...this.position, waiting: { until: text, ...(awaits && { awaits: true }) } };
    return { kind: 'wait', until, type: step.type, ...(awaits && { awaits }) };
  }

  /** What `text` says reads what a write of the batch changes or gives. `roots`: the first names of its variables. */
  isReadBy(text: string, roots: string[]): boolean {
    if ([...this.changed].some((name) => roots.includes(name.split('.')[0]!) && isNamed(name, text))) return true;
    return roots.includes('steps') && this.writes.some(({ row }) => text.includes(row.step_id));
  }

  private row({ id, type }: Step, state: StepState, more: Partial<TakenStep>): TakenStep {
    const row: TakenStep = { number: this.stepsRun + 1, step_id: id, type, state, ...more };
    this.taken.push(row);
    return row;
  }
}
