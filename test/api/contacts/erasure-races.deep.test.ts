import { beforeAll, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { bodyFor, inboundFrom } from '../../support/provider-body.ts';
import { storedContacts } from '../../support/stored/contacts.ts';
import { storedProviderWebhooks } from '../../support/stored/messaging.ts';

const app = useApp({ workers: true, env: { WEBHOOK_TIMEOUT_MS: '300' } });
let channel: Channel;
beforeAll(async () => {
  channel = await app.connect();
});

test('while somebody is forgotten they write, are written to, tagged and made again: no fault, nothing broken, nothing left of them', async () => {
  for (let round = 0; round < 4; round += 1) {
    const { phone, contactId } = await app.conversation(channel);
    const params = { contactID: contactId };
    expect((await app.text(channel, phone)).status).toBe(201);
    const replies = await Promise.all([
      ...[1, 2].map(() => app.text(channel, phone)),
      app.webhook(bodyFor(channel, inboundFrom(phone))),
      app.call('contacts.tags.assign', { params, body: { name: 'racing' } }),
      app.call('contacts.delete', { params }),
      app.call('contacts.delete', { params }),
      app.call('contacts.notes.create', { params, body: { body: 'racing' } }),
      app.call('contacts.create', { body: { phone_number: `+${phone}` } }),
      app.webhook(bodyFor(channel, inboundFrom(phone))),
      ...[1, 2].map(() => app.text(channel, phone)),
    ]);
    for (const { status } of replies) expect([200, 201, 204, 404, 422]).toContain(status);
    expect(replies.filter(({ status }) => status === 204)).toHaveLength(1);
    expect(await storedContacts.count(app, contactId)).toBe(0);
    await app.idle();
    const [left] = await app.rows(
      `select count(*) filter (where to_phone || from_phone || to_user_id <> '')::int as addressed, count(*) filter (where type = 'text')::int as texts from messages where contact_id is null`,
    );
    expect([left.addressed, left.texts > round]).toEqual([0, true]);
  }
  expect(await storedProviderWebhooks.all(app, { state: 'broken' }, { columns: ['errors'] })).toEqual([]);
  expect(await checkJobs(app.web.deps.database)).toEqual([]);
});
