import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { strike } from './matrix/faults.ts';
import type { Stack } from './stack.ts';

const killed = ['worker', 'workers', 'web'] as const;
export type Kind = (typeof killed)[number] | 'queue' | 'database' | 'snapshot';

/** So many kills, each third followed by what is no kill, in a random order. */
export function planOf({ redis }: Stack, kills: number, random: () => number): Kind[] {
  const others: Kind[] = redis ? ['queue', 'database', 'snapshot'] : ['queue', 'database'];
  const kinds: Kind[] = Array.from({ length: kills }, (_, index) => killed[index % killed.length]!);
  for (let number = 0; number < Math.max(others.length, kills / 3); number += 1) kinds.push(others[number % others.length]!);
  return kinds
    .map((kind) => ({ kind, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ kind }) => kind);
}

/** Redis comes back as it was a moment ago. */
async function olderSnapshot({ redis: server }: Stack) {
  const redis = new Redis(server!.url());
  await redis.save();
  redis.disconnect();
  const file = (name: string) => join(server!.dir, name);
  copyFileSync(file('dump.rdb'), file('older.rdb'));
  await sleep(700);
  await server!.kill('SIGKILL');
  copyFileSync(file('older.rdb'), file('dump.rdb'));
  await server!.start();
}

export async function strikeOne(stack: Stack, kind: Kind, random: () => number) {
  if (kind === 'web') await stack.restartWeb();
  else if (kind === 'snapshot') await olderSnapshot(stack);
  else await strike(stack, kind, random);
}
