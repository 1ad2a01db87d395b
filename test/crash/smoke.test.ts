import { afterEach, test } from '@jest/globals';
import { expectConserved, sendAll, untilSettled } from './conservation.ts';
import { strike } from './matrix/faults.ts';
import { limitMs, phonesFrom, type Stack, startStack } from './stack.ts';

let stack: Stack;
afterEach(() => stack.stop());

test(
  'no message is lost or sent twice when a worker is killed and the queue is emptied',
  async () => {
    stack = await startStack({ backend: 'postgres', workers: 1 });
    const channelId = await stack.connect();
    await stack.listen();
    const phones = phonesFrom(5);
    await stack.openWindows(phones);
    await stack.untilWorking();

    const sending = sendAll(stack, channelId, phones, 40);
    await strike(stack, 'worker', () => 0);
    await strike(stack, 'queue', () => 0);
    const accepted = await sending;
    await untilSettled(stack);
    await expectConserved(stack, accepted);
  },
  limitMs,
);
