import type { Meter } from './cost/meter.ts';
import type { Usage } from './probe.ts';
import type { Side, Stage } from './stage.ts';

/** What one round of one side measured. Rates are per second, times milliseconds. */
export type Round = { rate: number; p50?: number; p99?: number; usage: Usage };

export type Options = {
  seconds: number;
  count: number;
  /** For HTTP: `count` requests at this pace, instead of as many as there can be in `seconds`. */
  perSecond?: number;
  meter?: Meter;
  /** What a worker has a part in beside the queue that is measured. */
  queues?: string;
};

/** One thing measured on both sides. `open` makes ready what stays up over all rounds; `round` measures once. */
export type Path = {
  name: string;
  what: string;
  unit: string;
  /** `rate`: more is better, ours over the floor. `latency`: less is better, the floor's p50 over ours. */
  better: 'rate' | 'latency';
  open(stage: Stage, options: Options): Promise<{ round(side: Side): Promise<Round>; close(): Promise<void> }>;
};
