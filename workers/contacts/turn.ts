import type { Outcome, RunContext } from '../handler.ts';

/** After so long the next organization's import or export has its turn; this one goes on after it. */
const turnMs = 60_000;
const pausedMs = 1_000;
const movedOnMs = 15_000;

/** Whether work over many rows may go on, asked between its parts. */
export function turnOf({ isStopping }: Pick<RunContext<unknown>, 'isStopping'>): () => boolean {
  const endsAt = performance.now() + turnMs;
  return () => !isStopping() && performance.now() < endsAt;
}

/** The turn is over: the rest is for another run. */
export const paused = ({ isStopping, wait }: RunContext<unknown>): Promise<Outcome> =>
  wait(isStopping() ? pausedMs : 0, { reason: 'paused' });

/** Another run has taken over: this one looks again when that one should be through. */
export const leftToAnother = ({ wait }: RunContext<unknown>): Promise<Outcome> =>
  wait(movedOnMs, { reason: 'another run is at it' });
