import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type FaultKind, strike } from '../matrix/faults.ts';
import type { Stack } from '../stack.ts';

type Kind = FaultKind | 'web' | 'snapshot';

/** Redis comes back as it was a moment ago. */
export async function olderSnapshot({ redis: server }: Stack) {
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

/** Every kind of fault in a random order, again and again, until so many or until it is over. Kills come twice as often. */
export async function disturb(
  stack: Stack,
  isOver: () => boolean,
  { random, count, maxPauseMs }: { random: () => number; count: number; maxPauseMs: number },
): Promise<Record<string, number>> {
  const kinds: Kind[] = ['worker', 'workers', 'queue', 'database', 'web', 'worker', 'workers'];
  if (stack.redis) kinds.push('snapshot');
  const done: Record<string, number> = {};
  let left: Kind[] = [];
  for (let number = 0; number < count && !isOver(); number += 1) {
    if (left.length === 0) left = [...kinds];
    const [kind] = left.splice(Math.floor(random() * left.length), 1);
    await sleep(200 + random() * maxPauseMs);
    if (kind === 'web') await stack.restartWeb();
    else if (kind === 'snapshot') await olderSnapshot(stack);
    else await strike(stack, kind!, random);
    done[kind!] = (done[kind!] ?? 0) + 1;
  }
  return done;
}
