import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Contact } from '../../../../src/contacts/contact.entity.ts';
import { type Own, ownRows } from '../../../../src/platform/database/own.ts';
import { statement } from '../../../../src/platform/database/statement.ts';
import { together } from '../../../../src/platform/database/together.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { countRoundTrips } from '../../../support/round-trips.ts';

let house: House;
let trips: ReturnType<typeof countRoundTrips>;
let own: Own;
beforeAll(async () => {
  house = await openHouse(undefined, { poolMax: 1 });
  trips = countRoundTrips(house.database.pool);
  own = together(house.database.pool, ownRows(house.database, house.organizationId));
  await own.sql('select $1::uuid');
});
afterAll(() => house.close());

const number = (n: unknown) => own.sql<{ n: number }>('select $2::int as n, $1::uuid as organization_id', [n]);

test('reads that are asked for at once are one round trip, each with its rows', async () => {
  const asked = async () => {
    const first = number(1);
    await Promise.resolve();
    return Promise.all([first, number(2), own.sql('select 1 where $1::uuid is null')]);
  };
  let found: unknown;
  const taken = await trips.during(async () => {
    found = await asked();
  });
  const row = (n: number) => [{ n, organization_id: house.organizationId }];
  expect(found).toEqual([row(1), row(2), []]);
  expect(taken).toBe(1);
});

test('one that waits for another is a round trip more', async () => {
  expect(
    await trips.during(async () => {
      await number(1);
      await number(2);
    }),
  ).toBe(2);
});

test('a refused one does not refuse those beside it', async () => {
  const [good, bad, last] = await Promise.allSettled([number(1), number('none'), number(3)]);
  expect(good).toMatchObject({ status: 'fulfilled', value: [{ n: 1 }] });
  expect(bad).toMatchObject({ status: 'rejected', reason: { code: '22P02' } });
  expect(last).toMatchObject({ status: 'fulfilled', value: [{ n: 3 }] });
});

test('a compiled statement travels with them', async () => {
  const byId = statement((select, { id }: { id: string }) => select(Contact).select('name').where('id', '=', id));
  expect(await trips.during(() => Promise.all([number(1), byId(own, { id: house.organizationId })]))).toBe(1);
});
