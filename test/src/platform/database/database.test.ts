import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../../../src/open-database.ts';
import { Organization } from '../../../../src/organizations/organization.entity.ts';
import { isDatabaseAway, isOurOutage, RecordBusy } from '../../../../src/platform/database/errors.ts';
import { query } from '../../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { collectingLog } from '../../../support/log.ts';

let created: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  created = await createTestDatabase();
});
afterAll(() => created.drop());

const open = () => openDatabase({ url: created.url, poolMax: 1, applicationName: 'test', log: collectingLog().log });

test.each([
  ['only statements of ours were run', async (database) => void (await query(database, 'select 1'))],
  ['a transaction was run too', async (database) => database.transaction(async (em) => void (await query(em, 'select 1')))],
  ['nothing was run', async () => undefined],
] as [string, (database: Awaited<ReturnType<typeof open>>) => Promise<void>][])(
  'closing leaves no connection behind when %s',
  async (_what, work) => {
    const database = await open();
    await work(database);
    await database.close();
    expect([database.pool.ended, database.connections().total]).toEqual([true, 0]);
  },
);

test.each([
  ['a lock on a record that was not to be had', new RecordBusy(undefined)],
  ['a lock that was not to be had', { code: '55P03', message: 'canceling statement due to lock timeout' }],
  ['a statement cut by its limit', { code: '57014', message: 'canceling statement due to statement timeout' }],
])('%s is an outage to a worker, which waits, though the database is there', (_what, error) => {
  expect(isOurOutage(error)).toBe(true);
  expect(isDatabaseAway(error)).toBe(false);
});

test('the first record of a process is written by the connection that its transaction has, and needs no other', async () => {
  const database = await open();
  try {
    const id = uuidv7();
    await database.transaction(async (em) => void (await em.insert(Organization, { id, name: 'First' })));
    expect(await query(database, 'select name from organizations where id = $1', [id])).toEqual([{ name: 'First' }]);
  } finally {
    await database.close();
  }
});
