import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { bodyOf } from '../../support/provider-body.ts';

const app = useApp();

test('a body of many entries of one number costs as much as it is long', async () => {
  const channel = await app.connect();
  const textOf = (count: number) => JSON.stringify(bodyOf(...Array(count).fill({ id: channel.wabaId, changes: [0] })));
  const spentMs = async (count: number) => {
    const before = process.threadCpuUsage();
    expect((await app.webhook(textOf(count))).status).toBe(200);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  };
  await spentMs(20_000);
  // It was 2.5 s when each change was copied with all before it.
  expect(await spentMs(20_000)).toBeLessThan(1_500);
});
