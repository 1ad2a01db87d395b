import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { purges } from '../../../../src/platform/retention/purges.ts';
import { runPurge } from '../../../../src/platform/retention/run.ts';
import { type House, openHouse } from '../../../support/house.ts';

let house: House;
let typeId: string;
beforeAll(async () => {
  house = await openHouse();
  const [type] = await house.sql<{ id: string }>(
    `insert into object_types (organization_id, id, kind, label, plural_label, display_field)
     values ($1, uuidv7(), 'boat', 'Boat', 'Boats', 'name') returning id`,
    [house.organizationId],
  );
  typeId = type!.id;
});
afterAll(() => house.close());
beforeEach(() => house.reset('deals', 'crm_tasks', 'records', 'crm_history'));

const insertOf: Record<string, string> = {
  deals: `insert into deals (organization_id, id, deleted_at, title, status, currency_code, home_currency_at_write)
          values ($1, $2, clock_timestamp() - $3::float8 * interval '1 day', 'A secret title', 'open', 'USD', 'USD')`,
  crm_tasks: `insert into crm_tasks (organization_id, id, deleted_at, title)
              values ($1, $2, clock_timestamp() - $3::float8 * interval '1 day', 'Call')`,
  records: `insert into records (organization_id, id, deleted_at, type_id)
            values ($1, $2, clock_timestamp() - $3::float8 * interval '1 day', $4)`,
};
const kindOf: Record<string, string> = { deals: 'deal', crm_tasks: 'task', records: 'record' };

/** Deleted so many days ago; undefined: not at all. With two revisions. */
async function make(table: string, days?: number): Promise<string> {
  const id = uuidv7();
  await house.sql(insertOf[table]!, [house.organizationId, id, days ?? null, ...(table === 'records' ? [typeId] : [])]);
  await house.sql(
    `insert into crm_history (organization_id, object_id, revision, object_kind, actor, changes)
     select $1, $2, n, $3, 'system', '{}'
       from generate_series(1, 2) n`,
    [house.organizationId, id, kindOf[table]],
  );
  return id;
}

const purge = (table: string, config = {}) =>
  runPurge(purges.find((one) => one.table === table)!, {
    config: { ...house.deps.config, ...config },
    database: house.database,
    isStopping: () => false,
    onDeleted: () => {},
    batch: 2,
    pauseMs: 0,
  });

const left = async (table: string) =>
  (await house.sql<{ id: string }>(`select id from ${table} order by id`)).map(({ id }) => id);
const withHistory = async () =>
  (await house.sql<{ id: string }>('select distinct object_id as id from crm_history order by 1')).map(({ id }) => id);

test.each(['deals', 'crm_tasks', 'records'])('%s leave the bin after 30 days, with their history', async (table) => {
  const stay = [await make(table), await make(table, 29)];
  for (const days of [31, 32, 33, 90, 400]) await make(table, days);
  expect((await purge(table)).deleted).toEqual({ [table]: 5 });
  expect(await left(table)).toEqual(stay);
  expect(await withHistory()).toEqual(stay);
  expect((await purge(table, { retentionCrmBinDays: 28 })).deleted).toEqual({ [table]: 1 });
  expect(await left(table)).toEqual(stay.slice(0, 1));
});

test('a task whose reminder has failed stays as long as the job can be retried', async () => {
  const id = await make('crm_tasks', 90);
  await house.sql(
    `insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, state, check_at)
     values (uuidv7(), $1, 'toys.play', 'default', '{}', 'task', $2, 'failed', clock_timestamp())`,
    [house.organizationId, id],
  );
  expect((await purge('crm_tasks')).deleted).toEqual({ crm_tasks: 0 });
  await house.sql('delete from jobs');
  expect((await purge('crm_tasks')).deleted).toEqual({ crm_tasks: 1 });
});
