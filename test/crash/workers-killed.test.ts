import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, test } from '@jest/globals';
import { expectConserved, sendAll, untilSettled } from './conservation.ts';
import { type BackendName, limitMs, phonesFrom, type Stack, startStack } from './stack.ts';

let stack: Stack;
afterEach(() => stack.stop());

test.each<BackendName>(['postgres', 'redis'])(
  '500 messages while the workers are killed three times: %s',
  async (backend) => {
    stack = await startStack({ backend });
    const channelId = await stack.connect();
    await stack.listen();
    const phones = phonesFrom(50);
    await stack.openWindows(phones);

    const sending = sendAll(stack, channelId, phones, 500);
    for (let kill = 0; kill < 3; kill += 1) {
      await sleep(700);
      await stack.killWorkers();
    }
    const accepted = await sending;
    await untilSettled(stack);
    await expectConserved(stack, accepted);
  },
  limitMs,
);
