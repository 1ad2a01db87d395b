import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CompiledQuery, sql } from 'kysely';
import { ContactNote } from '../../../../src/contacts/note.entity.ts';
import { ContactTag, Tag } from '../../../../src/contacts/tag.entity.ts';
import { type Own, ownRows } from '../../../../src/platform/database/own.ts';
import { statement } from '../../../../src/platform/database/statement.ts';
import type { OwnTx } from '../../../../src/platform/ledger/tx.ts';
import { User } from '../../../../src/users/user.entity.ts';
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

describe('the organization of a query', () => {
  const condition = (table: string) => `"${table}"."organization_id" = `;
  const joined = `"tags"."organization_id" = "contact_tags"."organization_id"`;
  const tagIds = statement((select, _: object) =>
    select(ContactTag, Tag).innerJoin('tags', 'tags.id', 'contact_tags.tag_id').select('tags.id'),
  );

  test('is a condition of each joined table, in `on`', async () => {
    const inner = ours.select(ContactTag, Tag).innerJoin('tags', 'tags.id', 'contact_tags.tag_id').select('tags.id').compile();
    expect(inner.sql).toContain(`on ${joined} and ("tags"."id" = "contact_tags"."tag_id") where ${condition('contact_tags')}$1`);
    const left = ours.select(ContactTag, Tag).leftJoin('tags as t', 't.id', 'contact_tags.tag_id').select('t.id').compile();
    expect(left.sql).toContain(`left join "tags" as "t" on "t"."organization_id" = "contact_tags"."organization_id" and (`);
    expect([inner.parameters, left.parameters]).toEqual([[ours.organizationId], [ours.organizationId]]);
    expect(await tagIds(ours, {})).toEqual([]);
  });

  test("keeps another organization's rows out of a join by any column", async () => {
    await within(theirs, async (tx) => tx.create(Tag, { name: 'vip' }));
    const pairs = (own: Own) =>
      own
        .select(Tag)
        .leftJoin('tags as other', (on) => on.on((eb) => eb.or([eb('other.name', '=', 'vip'), eb.lit(true)])))
        .select(['tags.name', 'other.name as other'])
        .execute();
    expect(await pairs(ours)).toEqual([{ name: 'vip', other: 'vip' }]);
    expect(await pairs(theirs)).toEqual([{ name: 'vip', other: 'vip' }]);
  });

  test('is a condition of a query in the query and of each part of a union', () => {
    const inner = ours
      .select(Tag, ContactTag)
      .select('id')
      .where(({ exists, selectFrom }) => exists(selectFrom('contact_tags').select('tag_id').whereRef('tag_id', '=', 'tags.id')))
      .where('id', 'in', ours.select(ContactTag).select('tag_id'))
      .union(ours.select(Tag).clearWhere().select('id'))
      .compile();
    expect(inner.sql.split(condition('contact_tags'))).toHaveLength(3);
    expect(inner.sql.split(condition('tags'))).toHaveLength(3);
    expect(inner.parameters).toEqual(Array.from({ length: 4 }, () => ours.organizationId));
  });

  test('cannot be dropped or turned off by another condition', async () => {
    expect(ours.select(Tag).select('id').clearWhere().compile().sql).toContain(`where ${condition('tags')}$1`);
    const all = theirs.select(Tag).select('name').where(sql<boolean>`false or true`);
    expect(await all.execute()).toHaveLength(1);
    const renameAll = statement((_select, { name }: { name: string }, update) =>
      update(Tag).set({ name }).where('name', '=', 'none').clearWhere().returning('name'),
    );
    expect(await renameAll(theirs, { name: 'theirs' })).toEqual([{ name: 'theirs' }]);
    expect(await tagByName(ours, { name: 'vip' })).toHaveLength(1);
  });

  test('is missing: the query is refused', async () => {
    const select = ours.select as unknown as (
      ...entities: unknown[]
    ) => ReturnType<typeof ours.select<typeof Tag, typeof ContactTag>>;
    const undeclared = select(Tag).innerJoin('contact_tags', 'contact_tags.tag_id', 'tags.id').select('tags.id');
    expect(() => undeclared.compile()).toThrow('contact_tags is not an entity given to this query');
    const right = ours.select(Tag, ContactTag).rightJoin('contact_tags', 'contact_tags.tag_id', 'tags.id');
    expect(() => right.select('contact_tags.tag_id').compile()).toThrow('RightJoin cannot be restricted to the organization');
    const text = statement(() => ({ compile: () => CompiledQuery.raw('select * from messages') }));
    await expect(async () => text(ours, {})).rejects.toThrow('A statement without its organization');
  });

  test('is not changed by an update', async () => {
    const move = statement((_select, { to }: { to: string }, update) =>
      update(Tag).set(() => ({ organization_id: to }) as object),
    );
    await expect(async () => move(ours, { to: theirs.organizationId })).rejects.toThrow('A row stays in its organization');
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
  // @ts-expect-error: a table that was not named, so nothing knows whether it has organizations
  own.select(Tag).innerJoin('contact_tags', 'contact_tags.tag_id', 'tags.id');
  // @ts-expect-error: the same for a left join
  own.select(Tag).leftJoin('contact_tags', 'contact_tags.tag_id', 'tags.id');
  // @ts-expect-error: the same for a query in the query
  own.select(Tag).where(({ exists, selectFrom }) => exists(selectFrom('contact_tags')));
  // @ts-expect-error: text that does not use the organization
  await own.run('select * from messages', []);
  // @ts-expect-error: a row stays in its organization
  statement((_select, _params: object, update) => update(Tag).set({ organization_id: 'another' }));
  // @ts-expect-error: the same in the other form
  statement((_select, _params: object, update) => update(Tag).set('organization_id', 'another'));
  // @ts-expect-error: nor is it changed here
  await own.update(Tag, { id: 'a' }, { organization_id: 'another' });
  const tag = await own.findOne(Tag, { id: 'a' });
  // @ts-expect-error: nor by assignment
  tag!.organization_id = 'another';
  // @ts-expect-error: an EntityManager reads all organizations
  own.em;
}

test('what the types refuse is listed above', () => expect(refusedByTypes).toBeInstanceOf(Function));
