import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { createBackend } from '../../../../src/platform/ledger/backends/index.ts';
import { openQueues } from '../../../../src/platform/ledger/queues.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { collectingLog } from '../../../support/log.ts';
import { waitFor } from '../../../support/wait-for.ts';

const { log } = collectingLog();
const row = (run: number) => ({
  organization_id: '0190f3c0-0000-7000-8000-000000000001',
  pool: null,
  id: '01932d5f-3a0e-7cc4-8f4e-0242ac120002',
  run,
  queue: 'default',
  name: 'toys.play',
  delay_ms: 0,
});

test('a queue in PostgreSQL whose connections are all at work is not away', async () => {
  const { url, drop } = await createTestDatabase();
  const queues = openQueues(createBackend({ databaseUrl: url, queueUrl: undefined }, log), log, () => {});
  await waitFor('the queue', () => queues.isReady());
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query('begin');
  await other.query('lock table bullmq.job in access exclusive mode');
  const work = Promise.allSettled(Array.from({ length: 40 }, (_, index) => queues.add([row(index + 1)])));
  // Longer than a probe waits for its answer.
  for (let look = 0; look < 40; look += 1) {
    await sleep(100);
    expect(queues.isReady()).toBe(true);
  }
  await other.query('commit');
  await other.end();
  await work;
  await queues.close();
  await drop();
});
