import { afterEach, expect, test } from '@jest/globals';
import { createPgBouncer, type PgBouncer, pgBouncerVersion } from '../support/servers/pgbouncer.ts';
import { expectConserved, sendAll, untilSettled } from './conservation.ts';
import { limitMs, phonesFrom, type Stack, startStack } from './stack.ts';

if (!(await pgBouncerVersion())) {
  test('a pooler in transaction mode is not tried: there is no PgBouncer of 1.21 or later', () =>
    console.warn('No pgbouncer of 1.21 or later found: a pooler in transaction mode is not tried.'));
} else {
  let stack: Stack;
  let pooler: PgBouncer;
  afterEach(async () => {
    await stack.stop();
    await pooler.remove();
  });
  const poolSize = 6;
  const phones = phonesFrom(25);

  test(
    '200 messages by two web processes and three workers through PgBouncer in transaction mode, workers killed meanwhile',
    async () => {
      stack = await startStack({
        backend: 'redis',
        webs: 2,
        workers: 3,
        wayToDatabase: async (databaseUrl) => {
          pooler = await createPgBouncer(databaseUrl, poolSize);
          return pooler.url('kanal_web');
        },
        workerEnv: () => ({ DATABASE_URL: pooler.url('kanal_worker') }),
      });
      const channelId = await stack.connect();
      await stack.listen();
      await stack.openWindows(phones);
      const sending = sendAll(stack, channelId, phones, 200);
      await stack.killWorkers();
      const accepted = await sending;
      await untilSettled(stack);
      await expectConserved(stack, accepted);

      // Five processes of 15 connections each had to share these.
      expect(await pooler.serverConnections('kanal_web')).toBeLessThanOrEqual(poolSize);
      expect(await pooler.serverConnections('kanal_worker')).toBeLessThanOrEqual(poolSize);
      const output = stack.webOutput() + stack.workerOutput();
      expect(output).not.toContain('prepared statement');
      expect(output).not.toContain('sessions of the database lack settings');
    },
    limitMs,
  );
}
