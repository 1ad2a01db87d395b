import { setTimeout as pause } from 'node:timers/promises';
import { Missing, type Stage } from './stage.ts';

const everyMs = 20;
/** Generous: a busy machine is late, not broken. */
const patienceMs = 20_000;

/** Until nothing is missing any more. Throws Missing with the names of what still is when time is up. */
export async function untilNothing(
  missing: () => string[] | Promise<string[]>,
  { signal }: Pick<Stage, 'signal'>,
  limitMs = patienceMs,
) {
  for (const limit = Date.now() + limitMs; ; await pause(everyMs, undefined, { signal })) {
    const names = await missing();
    if (names.length === 0) return;
    if (Date.now() > limit) throw new Missing(`${names.join(' and ')}: not there after ${limitMs / 1000} s`);
  }
}
