import { beforeEach, expect, test } from '@jest/globals';
import { freeSlot, takeSlot } from '../../../../src/commerce/delivery/slot-usage.ts';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import type { OwnTx } from '../../../../src/platform/ledger/tx.ts';
import { useApp } from '../../../support/app.ts';

const app = useApp();
let organizationId: string;

beforeEach(async () => {
  ({ organizationId } = await app.organization());
});

async function timeslot(capacity: number | null): Promise<string> {
  const [methodId, id] = [uuidv7(), uuidv7()];
  await app.rows(`insert into delivery_methods (organization_id, id, name, kind) values ($1, $2, 'By us', 'flat')`, [
    organizationId,
    methodId,
  ]);
  await app.rows(
    `insert into delivery_timeslots (organization_id, id, method_id, label, weekdays, capacity)
     values ($1, $2, $3, '9-12', '{1,2,3,4,5,6,7}', $4)`,
    [organizationId, id, methodId, capacity],
  );
  return id;
}

const within = <Result>(work: (tx: OwnTx) => Promise<Result>): Promise<Result> =>
  app.web.deps.ledger.transact({}, (tx) => work(tx.of(organizationId)));
const take = (timeslotId: string, day = '2027-03-01') => within((tx) => takeSlot(tx, { timeslotId, day }));
const free = (timeslotId: string, day = '2027-03-01') => within((tx) => freeSlot(tx, { timeslotId, day }));
const used = async (timeslotId: string) =>
  Object.fromEntries(
    (await app.rows('select day::text, used from slot_usage where timeslot_id = $1', [timeslotId])).map(({ day, used }) => [
      day,
      used,
    ]),
  );

test('of 30 at once as many as the capacity have the slot, each other day has its own', async () => {
  const id = await timeslot(7);
  const results = await Promise.allSettled(Array.from({ length: 30 }, () => take(id)));
  const refusals = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  expect(refusals).toHaveLength(23);
  for (const error of refusals)
    expect(error).toMatchObject({ code: 'conflict', details: [{ field: 'delivery_timeslot_id', code: 'timeslot.full' }] });
  await take(id, '2027-03-02');
  expect(await used(id)).toEqual({ '2027-03-01': 7, '2027-03-02': 1 });
});

test('a place that is given back is free again, and never more than were taken', async () => {
  const id = await timeslot(1);
  await take(id);
  await expect(take(id)).rejects.toMatchObject({ status: 409 });
  for (let time = 0; time < 2; time += 1) await free(id);
  await take(id);
  expect(await used(id)).toEqual({ '2027-03-01': 1 });
});

test('without a capacity there is always room', async () => {
  const id = await timeslot(null);
  for (let time = 0; time < 3; time += 1) await take(id);
  expect(await used(id)).toEqual({ '2027-03-01': 3 });
});

test('a smaller capacity than is used refuses the next one', async () => {
  const id = await timeslot(3);
  for (let time = 0; time < 3; time += 1) await take(id);
  await app.rows('update delivery_timeslots set capacity = 1 where id = $1', [id]);
  await expect(take(id)).rejects.toMatchObject({ status: 409 });
  await free(id);
  await expect(take(id)).rejects.toMatchObject({ status: 409 });
});

test('a time slot of another organization, or one that is gone, is full', async () => {
  const id = await timeslot(3);
  ({ organizationId } = await app.organization());
  await expect(take(id)).rejects.toMatchObject({ status: 409 });
  expect(await used(id)).toEqual({});
});
