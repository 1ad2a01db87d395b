import { setTimeout as sleep } from 'node:timers/promises';
import { olderSnapshot } from '../campaigns/disturb.ts';
import { strike } from '../matrix/faults.ts';
import type { Stack } from '../stack.ts';

const killed = ['worker', 'workers', 'web'] as const;
type Kind = (typeof killed)[number] | 'queue' | 'database' | 'snapshot';
export type Fault = { kind: Kind; from: number; until: number };

/** So many kills, each third followed by what is no kill, in a random order. */
function planOf({ redis }: Stack, kills: number, random: () => number): Kind[] {
  const others: Kind[] = redis ? ['queue', 'database', 'snapshot'] : ['queue', 'database'];
  const kinds: Kind[] = Array.from({ length: kills }, (_, index) => killed[index % killed.length]!);
  for (let number = 0; number < Math.max(others.length, kills / 3); number += 1) kinds.push(others[number % others.length]!);
  return kinds
    .map((kind) => ({ kind, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ kind }) => kind);
}

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
    if (kind === 'web') await stack.restartWeb();
    else if (kind === 'snapshot') await olderSnapshot(stack);
    else await strike(stack, kind, random);
    faults.push({ kind, from, until: Date.now() });
  }
  return faults;
}

export const countsOf = (faults: Fault[]): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(faults, ({ kind }) => kind)].map(([kind, all]) => [kind, all.length]));
