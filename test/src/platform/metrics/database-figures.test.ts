import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../../../src/open-database.ts';
import type { Database } from '../../../../src/platform/database/database.ts';
import { queueNames } from '../../../../src/platform/ledger/queue-names.ts';
import { createMetrics } from '../../../../src/platform/metrics/metrics.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { collectingLog } from '../../../support/log.ts';
import { readExposition } from '../../../support/prometheus.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const metricsOf = (database: Database) => {
  const queues = { ...house.queues, backend: { name: 'redis' } as never };
  const metrics = createMetrics({ process: 'worker', database, queues, isServed: false });
  return { ...metrics, read: async () => readExposition(await metrics.scrape()) };
};
/** The database, and what is asked of it counted; `fault` comes first. */
function watched({ database }: House, fault?: () => Promise<never> | undefined) {
  const asked = { times: 0 };
  const transaction: Database['transaction'] = async (work) => {
    asked.times += 1;
    await fault?.();
    return database.transaction(work);
  };
  return { asked, database: { ...database, transaction } };
}
const ofDatabase = [
  'kanal_jobs',
  'kanal_jobs_oldest_overdue_seconds',
  'kanal_provider_webhooks_unapplied',
  'kanal_provider_webhooks_broken',
];

test('however many scrape, the database is asked once', async () => {
  const { asked, database } = watched(house);
  const { read } = metricsOf(database);
  const pages = await Promise.all(Array.from({ length: 20 }, () => read()));
  for (const page of [...pages, await read()]) {
    expect(page.value('kanal_database_up')).toBe(1);
    expect(page.values('kanal_jobs')).toHaveLength(7 * queueNames.length);
  }
  expect(asked.times).toBe(1);
});

test('a database that has gone: the process tells its own figures and no old ones of the database, until it is back', async () => {
  let isAway = true;
  const { asked, database } = watched(house, () => (isAway ? Promise.reject(new Error('gone')) : undefined));
  const { read } = metricsOf(database);
  const without = await read();
  expect(without.value('kanal_database_up')).toBe(0);
  for (const name of ofDatabase) expect([name, without.types.has(name), without.values(name)]).toEqual([name, true, []]);
  expect(without.value('kanal_build_info', { process: 'worker', queue_backend: 'redis' })).toBe(1);
  isAway = false;
  expect((await read()).value('kanal_database_up')).toBe(1);
  expect(asked.times).toBe(2);
});

test('so it is with one that was dropped under a process that had asked it before', async () => {
  const { url, remove } = await createTestDatabase();
  const database = await openDatabase({ url, poolMax: 2, applicationName: 'kanal-test', log: collectingLog().log });
  await database.ping();
  await remove();
  const page = await metricsOf(database).read();
  expect(page.value('kanal_database_up')).toBe(0);
  expect(page.values('kanal_jobs')).toEqual([]);
  await database.close();
});

test('a database that does not answer is not waited for, nor asked again behind its back', async () => {
  let answer: (fault: never) => void = () => undefined;
  const { asked, database } = watched(house, () => new Promise<never>((resolve) => (answer = resolve)));
  const { read } = metricsOf(database);
  for (const page of await Promise.all([read(), read()])) expect(page.value('kanal_database_up')).toBe(0);
  expect((await read()).value('kanal_database_up')).toBe(0);
  expect(asked.times).toBe(1);
  answer(undefined as never);
});

test('a statement that takes too long ends in the database too', async () => {
  const locker = house.database.transaction(async (em) => {
    await em.getKysely().executeQuery({ sql: 'lock table jobs', parameters: [], query: {} as never, queryId: {} as never });
    return metricsOf(house.database).read();
  });
  expect((await locker).value('kanal_database_up')).toBe(0);
  const waiting = await house.sql(
    `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
  );
  expect(waiting).toEqual([]);
});

test('process objects in one process have figures of their own', async () => {
  const [one, other] = [metricsOf(house.database), metricsOf(house.database)];
  expect(one.registry).not.toBe(other.registry);
  for (const { read } of [one, other]) expect((await read()).value('kanal_queue_up')).toBe(1);
});
