import { expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { storedConversations } from '../../support/stored/messaging.ts';
import { ago } from '../../support/stored/times.ts';

const app = useApp();
const list = (contactID: string, query = {}) => app.call('contacts.conversations.list', { params: { contactID }, query });
const idsIn = ({ data }: Body) => data.map(({ id }: Body) => id);

test('one for each channel, the one with the last activity first, by pages', async () => {
  const [first, second] = [await app.connect(), await app.connect()];
  const old = await app.conversation(first);
  await storedConversations.change(app, old.id, { created_at: ago(1, 'day') });
  const young = await storedConversations.add(app, {
    organization_id: app.tenant.organizationId,
    channel_id: second.id,
    contact_id: old.contactId,
    status: 'pending',
  });
  await app.conversation(first);
  const { status, body } = await list(old.contactId, { include_total: true });
  expect([status, idsIn(body), body.meta]).toEqual([200, [young, old.id], { has_more: false, limit: 25, total: 2 }]);
  const { body: page } = await list(old.contactId, { limit: 1 });
  expect(idsIn(page)).toEqual([young]);
  expect(idsIn((await list(old.contactId, { limit: 1, cursor: page.meta.next_cursor })).body)).toEqual([old.id]);
});

test('none for a contact nobody has talked to', async () => {
  const { body } = await app.call('contacts.create', { body: { phone_number: '+16505550101' } });
  expect((await list(body.data.id)).body.data).toEqual([]);
});

test('404 for a contact that is nobody, and one that names the survivor of a merge', async () => {
  expect((await list('0193ffff-3a0e-7cc4-8f4e-0242ac120004')).status).toBe(404);
  expect((await list('no-uuid')).status).toBe(404);
  const make = async (phone_number: string) =>
    (await app.call('contacts.create', { body: { phone_number } })).body.data.id as string;
  const [survivor, merged] = [await make('+16505550102'), await make('+16505550103')];
  await app.call('contacts.merge', { params: { contactID: survivor }, body: { contact_id: merged } });
  const gone = await list(merged);
  expect([gone.status, gone.body.error.details[0].value]).toEqual([404, survivor]);
});
