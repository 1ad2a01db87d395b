import { expect, test } from '@jest/globals';
import { listDuplicate } from '../../../src/contacts/merging/duplicates.ts';
import { useApp } from '../../support/app.ts';

const app = useApp({});
const create = async (n: number) =>
  (await app.call('contacts.create', { body: { phone_number: `+165055920${n}` } })).body.data.id;
const list = async (query?: Record<string, string>) => (await app.call('contacts.duplicates.list', { query })).body;
const found = (one: string, other: string) =>
  app.web.deps.ledger.transact({}, (tx) => listDuplicate(tx.of(app.tenant.organizationId), one, other, 'same_person'));

test('pairs, newest first, each once whoever is named first; a page at a time; a merge or a deletion takes them off', async () => {
  const ids = [await create(10), await create(11), await create(12), await create(13)];
  const [first, second, third, fourth] = ids as [string, string, string, string];
  await found(second, first);
  await found(first, second);
  await found(first, third);
  await found(fourth, first);
  const pairs = (rows: { contact_id: string; other_id: string }[]) =>
    rows.map(({ contact_id, other_id }) => [contact_id, other_id]);
  const all = await list({ include_total: 'true' });
  expect(pairs(all.data)).toEqual([
    [first, fourth],
    [first, third],
    [first, second],
  ]);
  expect(all).toMatchObject({ data: [{ reason: 'same_person' }, {}, {}], meta: { has_more: false, total: 3 } });
  const page = await list({ limit: '2' });
  expect(pairs((await list({ limit: '2', cursor: page.meta.next_cursor })).data)).toEqual([[first, second]]);
  await app.call('contacts.merge', { params: { contactID: third }, body: { contact_id: first } });
  await app.call('contacts.delete', { params: { contactID: fourth } });
  expect(pairs((await list()).data)).toEqual([[first, second]]);
});

test('a contact that has just gone is not listed', async () => {
  const [one, other] = [await create(20), await create(21)];
  await app.call('contacts.delete', { params: { contactID: other } });
  await found(one, other);
  expect((await list()).data.filter((pair: { contact_id: string }) => pair.contact_id === one)).toEqual([]);
});
