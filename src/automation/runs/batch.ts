import type { JobError } from '../../platform/ledger/jobs.entity.ts';
import type { CallAction, PreparedStep, StepContext } from '../actions/action.ts';
import type { Step } from '../definition/definition.ts';
import type { CancelReason } from '../states.ts';
import type { Failure } from './end.ts';
import type { Position } from './position.ts';
import type { RunNow } from './run-now.ts';
import type { TakenStep } from './run-tx.ts';

export type Subject = { type: string; id: string };
/** A step that calls outside, as it is asked. `context`: of its run. */
export type PlannedCall = { step: Step; action: CallAction; fields: Record<string, unknown>; context: StepContext };

/**
 * What follows the steps of a batch. `wait`: `until` in ms; `awaits`: about which subjects. `move`: what follows has its place
 * in that pool. `again`: the call of the step `type` is made once more.
 */
export type Next =
  | { kind: 'go_on' }
  | { kind: 'succeed'; reason?: string }
  | { kind: 'fail'; failure: Failure }
  | { kind: 'cancel'; reason: CancelReason }
  | { kind: 'wait'; until: number; type: string; awaits?: { event: string; subjects: Subject[] } }
  | { kind: 'move'; pool: { id: string; width: number } }
  | { kind: 'call'; call: PlannedCall }
  | { kind: 'again'; delayMs: number; type: string; reason: string };

/** Steps of one transaction, in their order: `writes` are those of `taken` that have an effect. */
export type Batch = {
  run: RunNow;
  taken: TakenStep[];
  writes: { row: TakenStep; prepared: PreparedStep }[];
  position: Position;
  vars: Record<string, unknown>;
  stepsRun: number;
  /** It waited for an event until now. */
  endsWaits: boolean;
  next: Next;
  /** Of what its steps record where they are noted, nobody listens to these types; undefined: somebody may. */
  unheard?: string[];
  /** All is written as it was seen, in one round trip. */
  isNoted?: boolean;
};

/** The step that was refused at its last attempt: first in its batch for good, else it is tried alone. */
export type Refused = { number: number; error: JobError; input: unknown; isFirst: boolean };
/** What the last plan came to. `isSingle`: what it looked at had always changed when it was written, so one step is taken at a time. */
export type Lesson = { refused?: Refused; isSingle?: boolean };
