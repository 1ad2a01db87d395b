import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { User } from '../../../../src/accounts/account.entity.ts';
import { ContactNote } from '../../../../src/contacts/note.entity.ts';
import { Tag } from '../../../../src/contacts/tag.entity.ts';
import { type Own, ownRows } from '../../../../src/platform/database/own.ts';
import { statement } from '../../../../src/platform/database/statement.ts';
import type { OwnTx } from '../../../../src/platform/ledger/tx.ts';
import { type House, openHouse } from '../../../support/house.ts';

let house: House;
let ours: Own;
let theirs: Own;
beforeAll(async () => {
  house = await openHouse();
  const [other] = await house.sql(`insert into organizations (id, name) values (uuidv7(), 'Other') returning id`);
  ours = ownRows(house.database, house.organizationId);
  theirs = ownRows(house.database, String(other!.id));
});
afterAll(() => house.close());

const tagByName = statement((select, { name }: { name: string }) => select(Tag).select(['id', 'name']).where('name', '=', name));
const rename = statement((_select, { id, name }: { id: string; name: string }, update) =>
  update(Tag).set({ name }).where('id', '=', id).returning(['id', 'name']),
);
const within = (own: Own, work: (tx: OwnTx) => Promise<unknown>) =>
  house.ledger.transact({}, (tx) => work(tx.of(own.organizationId)));

describe('rows of one organization', () => {
  test('a record of one is not found, changed or deleted through another', async () => {
    await within(ours, (tx) => tx.insert(Tag, { name: 'vip' }));
    const [tag] = await tagByName(ours, { name: 'vip' });
    expect(tag).toMatchObject({ name: 'vip' });
    expect(await tagByName(theirs, { name: 'vip' })).toEqual([]);
    expect(await theirs.find(Tag, { id: tag!.id })).toEqual([]);
    expect(await theirs.findOne(Tag, { name: 'vip' })).toBeUndefined();
    expect(await rename(theirs, { id: tag!.id, name: 'stolen' })).toEqual([]);
    await within(theirs, async (tx) => {
      expect(await tx.update(Tag, { id: tag!.id }, { name: 'stolen' })).toBe(0);
      expect(await tx.delete(Tag, { id: tag!.id })).toBe(0);
    });
    expect(await ours.select(Tag).select('name').execute()).toEqual([{ name: 'vip' }]);
    expect(await theirs.select(Tag).select('name').execute()).toEqual([]);
  });

  test('a record is written by the unit of work, and deleted', async () => {
    await within(ours, async (tx) => tx.create(Tag, { name: 'new' }));
    await within(ours, async (tx) => {
      const tag = await tx.findOne(Tag, { name: 'new' });
      tag!.name = 'newer';
    });
    expect(await tagByName(ours, { name: 'newer' })).toHaveLength(1);
    await within(ours, async (tx) => tx.remove((await tx.findOne(Tag, { name: 'newer' }))!));
    expect(await tagByName(ours, { name: 'newer' })).toEqual([]);
  });

  test('the database refuses SQL text that does not use the organization', async () => {
    await expect(ours.sql('select name from tags where name = $2', ['vip'])).rejects.toThrow('could not determine data type');
    expect(await ours.sql('select name from tags where organization_id = $1 and name = $2', ['vip'])).toEqual([{ name: 'vip' }]);
  });
});

/** Checked by `npm run types`; never called. */
async function refusedByTypes(own: OwnTx) {
  // @ts-expect-error: the organization is not the caller's to name
  await own.find(Tag, { organization_id: 'another' });
  // @ts-expect-error: nor to write
  own.create(ContactNote, { contact_id: 'a', body: 'b', author: 'c', organization_id: 'another' });
  // @ts-expect-error: a table without organizations has its own way
  await own.find(User, { id: 'a' });
  // @ts-expect-error: neither is it read through this one
  own.select(User);
  // @ts-expect-error: a column that the table does not have
  await own.find(Tag, { nmae: 'vip' });
  // @ts-expect-error: a column that must be given
  own.create(ContactNote, { contact_id: 'a', body: 'b' });
  // @ts-expect-error: an EntityManager reads all organizations
  own.em;
}

test('what the types refuse is listed above', () => expect(refusedByTypes).toBeInstanceOf(Function));
