import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { createRedisCluster, type RedisCluster } from '../support/servers/redis-cluster.ts';
import { expectConserved, sendAll, untilSettled } from './conservation.ts';
import { limitMs, phonesFrom, type Stack, startStack } from './stack.ts';

let cluster: RedisCluster;
let stack: Stack;
afterEach(async () => {
  await stack.stop();
  await cluster.remove();
});

const phones = phonesFrom(50);

test(
  '500 messages through a Redis Cluster of three, by two web processes and three workers, while the master of their queue is killed',
  async () => {
    cluster = await createRedisCluster();
    stack = await startStack({ backend: 'redis', queueUrl: cluster.url, webs: 2, workers: 3 });
    const channelId = await stack.connect();
    await stack.listen();
    await stack.openWindows(phones);

    const sending = sendAll(stack, channelId, phones, 500);
    await sleep(1_000);
    const master = await cluster.masterOf('{messages}:probe');
    await master.kill('SIGKILL');
    const accepted = await sending;
    await untilSettled(stack);
    await expectConserved(stack, accepted);
    expect((await cluster.masterOf('{messages}:probe')).port).not.toBe(master.port);
  },
  limitMs,
);
