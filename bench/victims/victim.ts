import type { Stage } from '../stage.ts';
import { percentile } from '../statistics.ts';

export type VictimName = 'get' | 'message' | 'webhook' | 'payment';

/** What the well-behaved tenant met in a round. Times in ms; what is late counts with the time it has waited so far. */
export type Met = {
  /** Answered a second. */
  rate: number;
  p50: number;
  p99: number;
  samples: number;
  /** 5xx. */
  failed: number;
  /** Other answers that are no success. */
  refused: number;
  /** The connection broke. */
  lost: number;
  /** Not there when the round and its grace were over. */
  late: number;
};

/** The well-behaved tenant doing one thing at an even pace, whatever the answers take. */
export type Victim = { name: VictimName; what: string; round(seconds: number): Promise<Met>; close(): Promise<void> };
export type OpenVictim = (stage: Stage, base: string, isAlone: boolean) => Promise<Victim>;

export type Answers = { failed: number; refused: number; lost: number; late: number; took: number[] };

export const metOf = ({ took, failed, refused, lost, late }: Answers, seconds: number): Met => ({
  rate: (took.length - late) / seconds,
  p50: percentile(took, 0.5),
  p99: percentile(took, 0.99),
  samples: took.length,
  failed,
  refused,
  lost,
  late,
});
