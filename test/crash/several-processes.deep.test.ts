import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, test } from '@jest/globals';
import { expectConserved, sendAll, untilSettled } from './conservation.ts';
import { type BackendName, limitMs, phonesFrom, type Stack, startStack } from './stack.ts';

let stack: Stack;
afterEach(() => stack.stop());

test.each<BackendName>(['postgres', 'redis'])(
  '200 messages by two web processes, killed meanwhile, and three workers on one database and one queue: %s',
  async (backend) => {
    stack = await startStack({ backend, webs: 2, workers: 3 });
    const channelId = await stack.connect();
    await stack.listen();
    const phones = phonesFrom(25);
    await stack.openWindows(phones);

    const sending = sendAll(stack, channelId, phones, 200);
    await sleep(700);
    await stack.restartWeb();
    const accepted = await sending;
    await untilSettled(stack);
    await expectConserved(stack, accepted);
  },
  limitMs,
);
