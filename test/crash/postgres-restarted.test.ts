import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, test } from '@jest/globals';
import { expectConserved, sendAll, untilSettled } from './conservation.ts';
import { type BackendName, limitMs, phonesFrom, type Stack, startStack } from './stack.ts';

let stack: Stack;
afterEach(() => stack.stop());

// SIGQUIT: PostgreSQL drops everything and recovers from its log at the next start, as after a crash.
test.each<BackendName>(['postgres', 'redis'])(
  '500 messages while PostgreSQL crashes and comes back: %s',
  async (backend) => {
    stack = await startStack({ backend });
    const channelId = await stack.connect();
    await stack.listen();
    const phones = phonesFrom(50);
    await stack.openWindows(phones);

    const sending = sendAll(stack, channelId, phones, 500);
    await sleep(1_000);
    await stack.postgres.kill('SIGQUIT');
    await sleep(1_000);
    await stack.postgres.start();
    await sleep(1_500);
    await stack.postgres.stop();
    await stack.postgres.start();

    const accepted = await sending;
    await untilSettled(stack);
    await expectConserved(stack, accepted);
  },
  limitMs,
);
