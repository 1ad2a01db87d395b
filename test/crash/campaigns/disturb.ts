import { setTimeout as sleep } from 'node:timers/promises';
import { planOf, strikeOne } from '../plan-of-faults.ts';
import type { Stack } from '../stack.ts';

/** What is planned, one after the other, until it is over. */
export async function disturb(
  stack: Stack,
  isOver: () => boolean,
  { random, kills, maxPauseMs }: { random: () => number; kills: number; maxPauseMs: number },
): Promise<Record<string, number>> {
  const done: Record<string, number> = {};
  for (const kind of planOf(stack, kills, random)) {
    await sleep(200 + random() * maxPauseMs);
    if (isOver()) break;
    await strikeOne(stack, kind, random);
    done[kind] = (done[kind] ?? 0) + 1;
  }
  return done;
}
