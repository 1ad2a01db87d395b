import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { contact } from '../../support/factories/contact.ts';
import { bearerToken, person } from '../../support/factories/person.ts';

const app = useApp();

test('both kinds, newest first, by pages, with who and until when', async () => {
  const { organizationId, keyId } = app.tenant;
  const { id: contactID } = await contact(app.em(), organizationId);
  const { userId } = await person(app.em(), organizationId);
  const { headers } = await bearerToken(app.em(), organizationId, userId);
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await app.call('contacts.consents.put', {
    params: { contactID, channel: 'email' },
    body: { status: 'granted', source: 'fair', proof: 'card 12' },
  });
  await app.call('contacts.suppressions.create', {
    params: { contactID },
    key: null,
    headers,
    body: { channel: 'all', reason: 'complaint', expires_at: until },
  });
  const read = (query: Record<string, string | number>) =>
    app.call('contacts.permission-history.list', { params: { contactID }, query });
  const first = (await read({ limit: 1 })).body;
  const second = (await read({ limit: 1, cursor: first.meta.next_cursor })).body;
  const common = { id: expect.any(String), at: expect.any(String) };
  expect(first.data).toEqual([
    {
      ...common,
      kind: 'suppression',
      channel: 'all',
      state: 'suppressed',
      reason: 'complaint',
      source: '',
      proof: '',
      expires_at: until,
      actor: `user:${userId}`,
    },
  ]);
  expect(second.data).toEqual([
    {
      ...common,
      kind: 'consent',
      channel: 'email',
      state: 'granted',
      reason: '',
      source: 'fair',
      proof: 'card 12',
      expires_at: null,
      actor: `key:${keyId}`,
    },
  ]);
  expect(second.meta.has_more).toBe(false);
});

test('a cursor of another contact’s history is none here', async () => {
  const [one, other] = [await contact(app.em(), app.tenant.organizationId), await contact(app.em(), app.tenant.organizationId)];
  for (const status of ['granted', 'denied'])
    await app.call('contacts.consents.put', { params: { contactID: one.id, channel: 'sms' }, body: { status } });
  const { body } = await app.call('contacts.permission-history.list', { params: { contactID: one.id }, query: { limit: 1 } });
  const refused = await app.call('contacts.permission-history.list', {
    params: { contactID: other.id },
    query: { cursor: body.meta.next_cursor },
  });
  expect(refused.status).toBe(400);
});
