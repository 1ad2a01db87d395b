import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { act, at, channelWithTemplates, completeDraft, stranger } from '../../support/campaign-drafts.ts';
import { contact } from '../../support/factories/contact.ts';
import { storedContacts } from '../../support/stored/contacts.ts';
import { storedConversations, storedMessages } from '../../support/stored/messaging.ts';

const app = useApp();
let channel: Channel;
let marketing: Channel;
beforeAll(async () => {
  channel = await channelWithTemplates(app);
  marketing = await channelWithTemplates(app, app.tenant, 'marketing');
});
const draft = (more?: object) => completeDraft(app, channel, more);
const messagesOf = async () => await storedMessages.count(app, { organization_id: app.tenant.organizationId });

describe('a test', () => {
  test('is one ordinary message a person, and nobody becomes a recipient', async () => {
    const made = await draft();
    const { id: contactId } = await contact(app.em(), app.tenant.organizationId, { name: 'Ada' });
    const phone = `+${app.phone()}`;
    const { status, body } = await act(app, 'test', made.id, { to: [contactId, phone] });
    expect([status, body.message_ids.length]).toEqual([200, 2]);
    const [first, second] = await Promise.all(body.message_ids.map((id: string) => app.message(id)));
    expect(first).toMatchObject({ contact_id: contactId, type: 'template', status: 'queued', campaign_id: null });
    expect(first!.content.components[0].parameters[0].text).toBe('Ada');
    expect(second).toMatchObject({ to_phone: phone.slice(1) });
    expect(second!.content.components[0].parameters[0].text).toBe('you');
    expect((await app.call('campaigns.get', at(made.id))).body.counts.total).toBe(0);
  });

  test('with an Idempotency-Key it is sent once', async () => {
    const made = await draft();
    const ask = () =>
      app.call('campaigns.test', {
        ...at(made.id),
        body: { to: [`+16505550199`] },
        headers: { 'idempotency-key': 'once' },
      });
    const [first, again] = [await ask(), await ask()];
    expect(again.body).toEqual(first.body);
  });

  test.each(['suppressed', 'consent_required'])('of somebody %s is a 422 at their place, and nobody gets one', async (code) => {
    const made = await draft({ channel_ids: [code === 'suppressed' ? channel.id : marketing.id] });
    const fine = (await contact(app.em(), app.tenant.organizationId)).id;
    const refused = (await contact(app.em(), app.tenant.organizationId)).id;
    await app.call('contacts.consents.put', {
      params: { contactID: fine, channel: 'messaging_app' },
      body: { status: 'granted', source: 'shop' },
    });
    if (code === 'suppressed')
      await app.call('contacts.suppressions.create', {
        params: { contactID: refused },
        body: { channel: 'all', reason: 'manual' },
      });
    const before = await messagesOf();
    const { status, body } = await act(app, 'test', made.id, { to: [fine, refused] });
    expect([status, body.error.code, body.error.details[0].field]).toEqual([422, code, 'to[1]']);
    expect(await messagesOf()).toBe(before);
  });

  test('to somebody new and to somebody suppressed: no conversation of the first is made', async () => {
    const made = await draft();
    const refused = (await contact(app.em(), app.tenant.organizationId)).id;
    await app.call('contacts.suppressions.create', {
      params: { contactID: refused },
      body: { channel: 'all', reason: 'manual' },
    });
    const { organizationId: organization_id } = app.tenant;
    const counted = async () => ({
      conversations: await storedConversations.count(app, { organization_id }),
      contacts: await storedContacts.count(app, { organization_id }),
    });
    const before = await counted();
    const { status, body } = await act(app, 'test', made.id, { to: [`+${app.phone()}`, refused] });
    expect([status, body.error.details[0].field]).toEqual([422, 'to[1]']);
    expect(await counted()).toEqual(before);
  });

  const wrong: [string, object, string][] = [
    ['nobody', { to: [] }, 'to'],
    ['6 people', { to: Array.from({ length: 6 }, (_, n) => `+1650555010${n}`) }, 'to'],
    ['one twice', { to: ['+16505550100', '+16505550100'] }, 'to[1]'],
    ['no phone', { to: ['me'] }, 'to[0]'],
    ['an unknown contact', { to: [stranger] }, 'to[0]'],
    ['an unknown variant', { to: ['+16505550100'], variant_id: 'z' }, 'variant_id'],
    ['an unknown channel', { to: ['+16505550100'], channel_id: stranger }, 'channel_id'],
  ];
  test.each(wrong)('to %s is a 422', async (_, body, field) => {
    const made = await draft();
    const reply = await act(app, 'test', made.id, body);
    expect([reply.status, reply.body.error.details.map((one: Body) => one.field)]).toEqual([422, [field]]);
  });

  test('to one person by their id and by their phone is a 422 at the second', async () => {
    const made = await draft();
    const phone = `+${app.phone()}`;
    const { id } = await contact(app.em(), app.tenant.organizationId, { phone });
    for (const to of [
      [phone, id],
      [id, phone],
      [id, id.toUpperCase()],
    ]) {
      const { status, body } = await act(app, 'test', made.id, { to });
      expect([status, body.error.details[0]]).toEqual([422, expect.objectContaining({ field: 'to[1]', code: 'array.unique' })]);
    }
    expect((await act(app, 'test', made.id, { to: [id.toUpperCase()] })).status).toBe(200);
  });

  test('of a draft without a channel or a template is a 422', async () => {
    const bare = (await app.call('campaigns.create', { body: { name: 'Bare' } })).body;
    const no = await act(app, 'test', bare.id, { to: ['+16505550100'] });
    expect([no.status, no.body.error.details[0].field]).toEqual([422, 'channel_id']);
    const without = await act(app, 'test', bare.id, { to: ['+16505550100'], channel_id: channel.id });
    expect([without.status, without.body.error.details[0].field]).toEqual([422, 'variants']);
  });
});
