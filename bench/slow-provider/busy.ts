import type { VictimName } from '../victims/victim.ts';

export const hangMs = 600_000;
/** The other work has gone on so long when the tenant's round begins. */
export const leadMs = 3_000;

/** Work beside the tenant's. */
export type Busy = {
  name: string;
  victim: VictimName;
  /** Of what is busy beside the tenant: how long a run may wait for an answer. */
  answerMs: number;
  /** Begins the other work, which lasts at least so long; resolves when no more of it comes. */
  work(seconds: number): Promise<void>;
  /** False: something holds on to what it left. */
  takeAway(): Promise<boolean>;
};
