import { AsyncLocalStorage } from 'node:async_hooks';

/** Of one attempt, in their order. A connection that is used again has only the last two. `body` is what is read of the answer. */
export const phases = ['dns', 'connect', 'tls', 'response', 'body'] as const;
export type Phase = (typeof phases)[number];
/** Milliseconds. */
export type PhaseTimes = Partial<Record<Phase, number>>;

export class PhaseClock {
  readonly times: PhaseTimes = {};
  private since = performance.now();
  private entered: Phase | undefined;
  private isOver = false;

  /** Without a connection to make, all before the answer's body is `response`. */
  get phase(): Phase {
    return this.entered ?? 'response';
  }

  enter(phase: Phase) {
    if (this.isOver) return;
    // The moments before a connection is asked for belong to no phase.
    if (this.entered || phase === 'body') this.add();
    this.since = performance.now();
    this.entered = phase;
  }

  /** A connection that is still being made counts no more. */
  end(): PhaseTimes {
    this.add();
    this.isOver = true;
    return this.times;
  }

  private add() {
    this.times[this.phase] = (this.times[this.phase] ?? 0) + performance.now() - this.since;
  }
}

const clocks = new AsyncLocalStorage<PhaseClock>();

/** undici makes connections for an origin and names no request: the connector finds its attempt's clock here. */
export const timed = <Result>(clock: PhaseClock, work: () => Result): Result => clocks.run(clock, work);

export const phaseClock = (): PhaseClock | undefined => clocks.getStore();
