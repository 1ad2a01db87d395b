import { setTimeout as sleep } from 'node:timers/promises';
import { type Kind, planOf, strikeOne } from '../plan-of-faults.ts';
import type { Stack } from '../stack.ts';

export type Fault = { kind: Kind; from: number; until: number };

const standstillMs = 30_000;

/** Each strikes once its share of the work is done, as `done` tells (from 0 to 1): so there is work before it and after it. */
export async function disturb(
  stack: Stack,
  done: () => number,
  { random, kills, maxPauseMs }: { random: () => number; kills: number; maxPauseMs: number },
): Promise<Fault[]> {
  const faults: Fault[] = [];
  const plan = planOf(stack, kills, random);
  for (const [index, kind] of plan.entries()) {
    const share = (index + 0.5) / (plan.length + 1);
    for (const until = Date.now() + standstillMs; done() < share && Date.now() < until; ) await sleep(50);
    await sleep(random() * maxPauseMs);
    const from = Date.now();
    await strikeOne(stack, kind, random);
    faults.push({ kind, from, until: Date.now() });
  }
  return faults;
}

export const countsOf = (faults: Fault[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(faults, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length]));
