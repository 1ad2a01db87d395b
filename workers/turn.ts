import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome, RunContext } from './handler.ts';

/** After this time the next organization's import or export runs. */
const turnMs = 60_000;
/** A long part may have waited for locks: that needs no rest. A stopping worker waits for the rest too. */
const maxRestMs = 2_000;
const pausedMs = 1_000;
const supersededMs = 15_000;

/**
 * Rests between parts, outside its place, so that the work takes only `bulkTimeShare` of the time of worker and database. A part that must
 * wait longer than that, for its pace or for others, says so by `leastMs`: a wait of its own would count as work.
 */
export function turnOf(
  { isStopping, outside, config }: Pick<RunContext<unknown>, 'isStopping' | 'outside' | 'config'>,
  ms = turnMs,
) {
  const endsAt = performance.now() + ms;
  const restPerMs = 1 / config.bulkTimeShare - 1;
  let workedFrom = performance.now();
  const isOver = () => isStopping() || performance.now() >= endsAt;
  return async (leastMs = 0): Promise<boolean> => {
    const restMs = Math.max(leastMs, Math.min(maxRestMs, (performance.now() - workedFrom) * restPerMs));
    if (restMs >= 1 && !isOver()) await outside(() => sleep(restMs));
    workedFrom = performance.now();
    return !isOver();
  };
}

export const paused = ({ isStopping, wait }: RunContext<unknown>): Promise<Outcome> =>
  wait(isStopping() ? pausedMs : 0, { reason: 'paused' });

/** Checks again when the other run should have finished. */
export const leftToAnother = ({ wait }: RunContext<unknown>): Promise<Outcome> =>
  wait(supersededMs, { reason: 'another run is at it' });
