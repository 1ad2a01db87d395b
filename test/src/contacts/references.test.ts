import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { contactReferences } from '../../../src/contacts/references.ts';
import { type House, openHouse } from '../../support/house.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

/** Of a composite key the column that stands for the id. */
const foreignKeys = `select c.conrelid::regclass::text as table, a.attname::text as column, c.confdeltype::text as on_delete
  from pg_constraint c cross join lateral unnest(c.conkey, c.confkey) as k(own, theirs)
  join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.own
  join pg_attribute t on t.attrelid = c.confrelid and t.attnum = k.theirs and t.attname = 'id'
 where c.contype = 'f' and c.confrelid = 'contacts'::regclass order by 1, 2`;

test('every foreign key to contacts is in the list, and does what it says when the person is forgotten', async () => {
  const found = await house.sql<{ table: string; column: string; on_delete: string }>(foreignKeys);
  expect(found.length).toBeGreaterThan(10);
  const words: Record<string, string> = { c: 'cascade', n: 'set null' };
  const listed = contactReferences.filter(({ erase }) => erase !== 'withdraw');
  expect(listed.map(({ table, column, erase }) => `${table}.${column} ${erase}`).sort()).toEqual(
    found.map(({ table, column, on_delete }) => `${table}.${column} ${words[on_delete]}`).sort(),
  );
});

test('every column that is called after a contact is in it too', async () => {
  const columns = await house.sql<{ name: string }>(
    `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public' and column_name = 'contact_id'`,
  );
  const listed = contactReferences.map(({ table, column }) => `${table}.${column}`);
  expect(columns.map(({ name }) => name).filter((name) => !listed.includes(name))).toEqual([]);
});
