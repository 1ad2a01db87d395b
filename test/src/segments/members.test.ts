import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Contact } from '../../../src/contacts/contact.entity.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { addMembers } from '../../../src/segments/members.ts';
import { Segment } from '../../../src/segments/segment.entity.ts';
import { createSegment, segmentLock, segmentsLock, segmentsOf } from '../../../src/segments/segments.ts';
import { contact } from '../../support/factories/contact.ts';
import { type House, openHouse } from '../../support/house.ts';
import { inMs } from '../../support/rules/clock.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const make = (name: string) => {
  const locks = [segmentsLock(house.organizationId)];
  const given = { name, kind: 'static', description: '' } as const;
  return transactFor(house.ledger.transact, house.organizationId)({ locks }, ({ own }) => createSegment(own, given));
};
const add = (id: string, ids: string[], max: number) =>
  transactFor(house.ledger.transact, house.organizationId)({ locks: [segmentLock(id)] }, ({ own }) =>
    addMembers(own, id, ids, max),
  );

test('no more members than the limit: those who left make room', async () => {
  const { id } = await make('Few');
  const people: string[] = [];
  for (let index = 0; index < 4; index += 1) people.push((await contact(house.em(), house.organizationId)).id);
  const [one, two, three, four] = people as [string, string, string, string];
  expect(await add(id, [one, two, three], 3)).toEqual({ added: 3, already: 0 });
  expect(await add(id, [one, two], 3)).toEqual({ added: 0, already: 2 });
  await expect(add(id, [four], 3)).rejects.toMatchObject({ code: 'limit_reached' });
  await house.em().nativeDelete(Contact, { id: two });
  expect(await add(id, [four], 3)).toEqual({ added: 1, already: 0 });
  await expect(add(id, [(await contact(house.em(), house.organizationId)).id], 3)).rejects.toMatchObject({
    code: 'limit_reached',
  });
});

test('segments by their ids, in this order; each unknown one is named by its place', async () => {
  const [one, two] = [await make('One'), await make('Two')];
  const own = ownRows(house.database, house.organizationId);
  expect((await segmentsOf(own, [two.id, one.id])).map(({ name }) => name)).toEqual(['Two', 'One']);
  expect(await segmentsOf(own, [])).toEqual([]);
  const unknown = uuidv7();
  await expect(segmentsOf(own, [one.id, unknown], 'audience.segment_ids')).rejects.toMatchObject({
    code: 'invalid_request',
    details: [{ field: 'audience.segment_ids[1]', code: 'segment.unknown', value: unknown }],
  });
  await house.em().nativeUpdate(Segment, { id: two.id }, { deleted_at: inMs(0) });
  await expect(segmentsOf(own, [two.id])).rejects.toMatchObject({ code: 'invalid_request' });
});
