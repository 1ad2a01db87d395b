import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Contact } from '../../../../src/contacts/contact.entity.ts';
import type { Deleted } from '../../../../src/platform/retention/purge.ts';
import { purges } from '../../../../src/platform/retention/purges.ts';
import { runPurge } from '../../../../src/platform/retention/run.ts';
import { Segment, SegmentMember } from '../../../../src/segments/segment.entity.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { inMs } from '../../../support/rules/clock.ts';
import { storeRow, storeRows, times } from '../../../support/rules/rows.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
  await storeRows(
    house.em(),
    house.organizationId,
    Contact,
    times(25, () => ({})),
  );
});
afterAll(() => house.close());

async function make(name: string, isDeleted: boolean): Promise<string> {
  const deleted_at = isDeleted ? inMs(0) : null;
  const id = await storeRow(house.em(), house.organizationId, Segment, { name, kind: 'static', deleted_at });
  const members = (await house.em().find(Contact, {})).map((contact) => ({ segment_id: id, contact_id: contact.id }));
  await storeRows(house.em(), house.organizationId, SegmentMember, members);
  return id;
}

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
  expect(deleted).toEqual({ segments: 2, segment_members: 50 });
  expect(isOver).toBe(true);
  expect(Math.max(...batches.flatMap(({ segment_members }) => segment_members ?? []))).toBe(10);
  const segments = await house.em().find(Segment, {});
  expect(segments.map(({ id }) => id)).toEqual([stays]);
  expect(await house.em().count(SegmentMember, {})).toBe(25);
  expect(await house.em().count(SegmentMember, { segment_id: stays })).toBe(25);
});
