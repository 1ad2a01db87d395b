import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome, RunContext } from '../handler.ts';

/** After so long the next organization's import or export has its turn; this one goes on after it. */
const turnMs = 60_000;
/** A part may take long because it waits for others: that is no work to rest from, and a worker that stops waits for the rest. */
const maxRestMs = 2_000;
const pausedMs = 1_000;
const supersededMs = 15_000;

/**
 * Whether work over many rows may go on, asked between its parts: after a rest, so that it takes only `bulkTimeShare` of the time. One
 * organization's file must not have the processors of worker and database to itself. The rest takes no place in the worker.
 */
export function turnOf({ isStopping, outside, config }: Pick<RunContext<unknown>, 'isStopping' | 'outside' | 'config'>) {
  const endsAt = performance.now() + turnMs;
  const restPerMs = 1 / config.bulkTimeShare - 1;
  let workedFrom = performance.now();
  const isOver = () => isStopping() || performance.now() >= endsAt;
  return async (): Promise<boolean> => {
    const restMs = Math.min(maxRestMs, (performance.now() - workedFrom) * restPerMs);
    if (restMs >= 1 && !isOver()) await outside(() => sleep(restMs));
    workedFrom = performance.now();
    return !isOver();
  };
}

/** The turn is over: the rest is for another run. */
export const paused = ({ isStopping, wait }: RunContext<unknown>): Promise<Outcome> =>
  wait(isStopping() ? pausedMs : 0, { reason: 'paused' });

/** Another run has taken over: this one looks again when that one should be through. */
export const leftToAnother = ({ wait }: RunContext<unknown>): Promise<Outcome> =>
  wait(supersededMs, { reason: 'another run is at it' });
