import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { expectConserved, sendAll, untilSettled } from './conservation.ts';
import { limitMs, phonesFrom, type Stack, startStack } from './stack.ts';

let stack: Stack;
let redis: Redis;
afterEach(async () => {
  redis.disconnect();
  await stack.stop();
});

async function startSending(phones: string[]) {
  stack = await startStack({ backend: 'redis' });
  redis = new Redis(stack.redis!.url(), { maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  const channelId = await stack.connect();
  await stack.listen();
  await stack.openWindows(phones);
  return sendAll(stack, channelId, phones, 500);
}

const phones = phonesFrom(50);

/** Hands the promise over without waiting for it: the faults come while it runs. */
async function whileSending(work: () => Promise<void>): Promise<string[]> {
  const sending = startSending(phones);
  while (redis?.status !== 'ready') await sleep(50);
  await sleep(1_500);
  await work();
  return sending;
}

test(
  '500 messages while Redis is flushed, and restarted empty, in the middle',
  async () => {
    const accepted = await whileSending(async () => {
      await redis.flushall();
      await sleep(700);
      await stack.redis!.kill('SIGKILL');
      await sleep(500);
      await stack.redis!.start();
    });
    await untilSettled(stack);
    await expectConserved(stack, accepted);
  },
  limitMs,
);

test(
  '500 messages while Redis comes back from an older snapshot',
  async () => {
    const accepted = await whileSending(async () => {
      await redis.save();
      copyFileSync(join(stack.redis!.dir, 'dump.rdb'), join(stack.redis!.dir, 'older.rdb'));
      await sleep(1_200);
      await stack.redis!.kill('SIGKILL');
      copyFileSync(join(stack.redis!.dir, 'older.rdb'), join(stack.redis!.dir, 'dump.rdb'));
      await stack.redis!.start();
    });
    await untilSettled(stack);
    await expectConserved(stack, accepted);
  },
  limitMs,
);
