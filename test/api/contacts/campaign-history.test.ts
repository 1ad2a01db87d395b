import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';

const app = useApp({});
const historyOf = (contactID: string, query = {}) => app.call('contacts.campaign-history', { params: { contactID }, query });

test('nobody was part of a campaign: there are none', async () => {
  const { id } = (await app.call('contacts.create', { body: { phone_number: '+16505550111' } })).body.data;
  const { status, body } = await historyOf(id, { include_total: true });
  expect([status, body]).toEqual([200, { items: [], meta: { has_more: false, limit: 25, total: 0 } }]);
});

test("another organization's contact and nobody's: 404", async () => {
  const { key } = await app.organization();
  const { id } = (await app.call('contacts.create', { key, body: { phone_number: '+16505550111' } })).body.data;
  for (const contactID of [id, '0193ffff-3a0e-7cc4-8f4e-0242ac120004', 'no-uuid'])
    expect((await historyOf(contactID)).status).toBe(404);
});

test('a query nobody knows: 422', async () => {
  const { id } = (await app.call('contacts.create', { body: { phone_number: '+16505550112' } })).body.data;
  expect((await historyOf(id, { offset: 1 })).status).toBe(422);
});
