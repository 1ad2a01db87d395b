import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Deal } from '../../../../src/deals/deal.entity.ts';
import { CrmHistory } from '../../../../src/history/history.entity.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { purges } from '../../../../src/platform/retention/purges.ts';
import { runPurge } from '../../../../src/platform/retention/run.ts';
import { CrmRecord } from '../../../../src/records/record.entity.ts';
import { ObjectType } from '../../../../src/records/types/type.entity.ts';
import { Task } from '../../../../src/tasks/task.entity.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { dayMs, inMs } from '../../../support/rules/clock.ts';
import { deleteJobs, storeJobs } from '../../../support/rules/ledger-jobs.ts';
import { storeRow, storeRows } from '../../../support/rules/rows.ts';

let house: House;
let typeId: string;
beforeAll(async () => {
  house = await openHouse();
  const label = { label: 'Boat', plural_label: 'Boats', display_field: 'name' };
  typeId = await storeRow(house.em(), house.organizationId, ObjectType, { kind: 'boat', ...label });
});
afterAll(() => house.close());
beforeEach(() => house.reset('deals', 'crm_tasks', 'records', 'crm_history'));

type Binned = 'deals' | 'crm_tasks' | 'records';
const entities = { deals: Deal, crm_tasks: Task, records: CrmRecord } as const;
const kindOf = { deals: 'deal', crm_tasks: 'task', records: 'record' } as const;

function store(table: Binned, row: { id: string; deleted_at: string | null }) {
  const [em, { organizationId }] = [house.em(), house];
  if (table === 'crm_tasks') return storeRow(em, organizationId, Task, { ...row, title: 'Call' });
  if (table === 'records') return storeRow(em, organizationId, CrmRecord, { ...row, type_id: typeId });
  const money = { currency_code: 'USD', home_currency_at_write: 'USD' };
  return storeRow(em, organizationId, Deal, { ...row, ...money, title: 'A secret title', status: 'open' });
}

/** Deleted so many days ago; undefined: not at all. With two revisions. */
async function make(table: Binned, days?: number): Promise<string> {
  const id = await store(table, { id: uuidv7(), deleted_at: days === undefined ? null : inMs(-days * dayMs) });
  const revision = { object_id: id, object_kind: kindOf[table], actor: 'system', changes: {} };
  await storeRows(house.em(), house.organizationId, CrmHistory, [
    { ...revision, revision: 1 },
    { ...revision, revision: 2 },
  ]);
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

const left = async (table: Binned) =>
  (await house.em().find(entities[table] as typeof Deal, {}, { orderBy: { id: 'asc' } })).map(({ id }) => id);
const withHistory = async () => {
  const revisions = await house.em().find(CrmHistory, {}, { orderBy: { object_id: 'asc' } });
  return [...new Set(revisions.map(({ object_id }) => object_id))];
};

test.each(['deals', 'crm_tasks', 'records'] as const)('%s leave the bin after 30 days, with their history', async (table) => {
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
  await storeJobs(house.em(), house.organizationId, { subjectType: 'task', subjectIds: [id], state: 'failed' });
  expect((await purge('crm_tasks')).deleted).toEqual({ crm_tasks: 0 });
  await deleteJobs(house.em());
  expect((await purge('crm_tasks')).deleted).toEqual({ crm_tasks: 1 });
});
