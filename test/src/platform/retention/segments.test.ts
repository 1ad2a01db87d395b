import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import type { Deleted } from '../../../../src/platform/retention/purge.ts';
import { purges } from '../../../../src/platform/retention/purges.ts';
import { runPurge } from '../../../../src/platform/retention/run.ts';
import { type House, openHouse } from '../../../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
  await house.sql(
    `insert into contacts (id, organization_id)
     select uuidv7(), $1
       from generate_series(1, 25)`,
    [house.organizationId],
  );
});
afterAll(() => house.close());

async function make(name: string, isDeleted: boolean): Promise<string> {
  const id = uuidv7();
  await house.sql(
    `insert into segments (id, organization_id, name, kind, deleted_at)
     values ($1, $2, $3, 'static', case when $4::boolean then clock_timestamp() end)`,
    [id, house.organizationId, name, isDeleted],
  );
  await house.sql(
    `insert into segment_members (organization_id, segment_id, contact_id)
     select organization_id, $1, id
       from contacts`,
    [id],
  );
  return id;
}

const left = async (table: string, column: string) =>
  (await house.sql<{ id: string }>(`select distinct ${column} as id from ${table}`)).map(({ id }) => id);

test('a deleted segment goes after its members, which go in batches; the others stay', async () => {
  const stays = await make('Stays', false);
  await make('One', true);
  await make('Two', true);
  const batches: Deleted[] = [];
  const { deleted, isOver } = await runPurge(purges.find(({ table }) => table === 'segments')!, {
    config: house.deps.config,
    database: house.database,
    isStopping: () => false,
    onDeleted: (some) => batches.push(some),
    batch: 10,
    pauseMs: 0,
  });
  expect([deleted, isOver]).toEqual([{ segments: 2, segment_members: 50 }, true]);
  expect(Math.max(...batches.flatMap(({ segment_members }) => segment_members ?? []))).toBe(10);
  expect([await left('segments', 'id'), await left('segment_members', 'segment_id')]).toEqual([[stays], [stays]]);
});
