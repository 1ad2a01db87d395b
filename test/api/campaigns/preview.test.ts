import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, type Tenant, useApp } from '../../support/app.ts';
import { at, channelWithTemplates, completeDraft, recipient, templateOf, variantOf } from '../../support/campaign-drafts.ts';
import { contact } from '../../support/factories/contact.ts';
import { storedCampaigns, storedRecipients } from '../../support/stored/campaigns.ts';
import { storedContacts, storedIdentities } from '../../support/stored/contacts.ts';
import { now } from '../../support/stored/times.ts';
import { stateOf } from '../../support/stored.ts';

const app = useApp();
let channel: Channel;
const who: Record<string, string> = {};
const names = ['plain', 'suppressed', 'blocked', 'consenting', 'nameless', 'excluded', 'twice', 'addressless'];

beforeAll(async () => {
  channel = await channelWithTemplates(app, app.tenant, 'marketing');
  for (const name of names) who[name] = (await contact(app.em(), app.tenant.organizationId, { name })).id;
  await app.call('contacts.suppressions.create', {
    params: { contactID: who.suppressed! },
    body: { channel: 'messaging_app', reason: 'manual' },
  });
  for (const name of ['consenting', 'nameless', 'twice', 'excluded', 'addressless'])
    await app.call('contacts.consents.put', {
      params: { contactID: who[name]!, channel: 'messaging_app' },
      body: { status: 'granted', source: 'shop' },
    });
  await storedIdentities.remove(app, { contact_id: who.addressless });
  await storedContacts.change(app, who.nameless, { name: '' });
});

const preview = async (id: string, tenant: Tenant = app.tenant): Promise<Body> => {
  const reply = await app.call('campaigns.preview', { key: tenant.key, ...at(id) });
  expect(reply.status).toBe(200);
  return reply.body;
};
const segmentOf = async (name: string, ...contactIds: string[]): Promise<string> => {
  const { id } = (await app.call('segments.create', { body: { name, kind: 'static' } })).body;
  await app.call('segments.members.add', { params: { segmentID: id }, body: { contact_ids: contactIds } });
  return id;
};

describe('a preview', () => {
  test('counts by reason, each contact once, and writes nothing', async () => {
    const made = await completeDraft(app, channel, {
      purpose: 'marketing',
      variants: [variantOf(templateOf('greeting', '{{ contact.name }}'))],
      audience: {
        contact_ids: Object.values(who),
        segment_ids: [await segmentOf('Twice', who.twice!)],
        exclude_segment_ids: [await segmentOf('Out', who.excluded!)],
      },
    });
    const before = await stateOf(app, app.tenant.organizationId);
    const { counts, is_capped, samples } = await preview(made.id);
    expect(counts).toEqual({
      audience: 7,
      would_send: 3,
      suppressed: 1,
      consent_required: 2,
      no_address: 1,
      frequency_cap: 0,
      excluded: 1,
      duplicates: 1,
    });
    expect(is_capped).toBe(false);
    const shown = new Map<string, Body>(samples.map((one: Body) => [one.contact_id, one]));
    expect([...shown.keys()].sort()).toEqual([who.consenting, who.nameless, who.twice].sort());
    expect(shown.get(who.consenting!)).toMatchObject({
      channel_id: channel.id,
      variant_id: 'a',
      template: { components: [{ type: 'body', parameters: [{ type: 'text', text: 'consenting' }] }] },
      body: 'Hello consenting',
      failure: '',
    });
    expect(shown.get(who.nameless!)).toMatchObject({ template: null, body: '', failure: expect.stringContaining('missing') });
    expect(await stateOf(app, app.tenant.organizationId)).toBe(before);
  });

  test('knows who was written to often enough, and who was added', async () => {
    const past = await completeDraft(app, channel);
    const sent = await recipient(app, past, { status: 'sent', contactId: who.consenting });
    await storedRecipients.change(app, sent, { queued_at: now() });
    await app.call('organization.update', { body: { frequency_cap: { max: 1, days: 7 } } });
    const made = await completeDraft(app, channel, { purpose: 'marketing', audience: { contact_ids: [who.consenting] } });
    await recipient(app, made, { contactId: who.twice });
    expect((await preview(made.id)).counts).toMatchObject({ audience: 2, frequency_cap: 1, would_send: 1 });
    await storedRecipients.change(app, sent, { status: 'failed' });
    expect((await preview(made.id)).counts).toMatchObject({ frequency_cap: 0, would_send: 2 });
    await app.call('organization.update', { body: { frequency_cap: null } });
  });

  test('shows who was added as they would read it, though they are in an excluded segment', async () => {
    const made = await completeDraft(app, channel, {
      purpose: 'marketing',
      variants: [variantOf(templateOf('greeting', '{{ recipient.code }}'))],
      audience: { contact_ids: [who.consenting], exclude_segment_ids: [await segmentOf('Added', who.twice!)] },
    });
    const added = await recipient(app, made, { contactId: who.twice });
    await storedRecipients.change(app, added, { parameters: { code: 'SPRING' } });
    const { counts, samples } = await preview(made.id);
    expect(counts).toMatchObject({ audience: 2, would_send: 2, excluded: 0 });
    expect(samples.find((one: Body) => one.contact_id === who.twice)).toMatchObject({ body: 'Hello SPRING', failure: '' });
    await storedCampaigns.change(app, made.id, { prepared: { is_done: true } });
    expect((await preview(made.id)).counts).toMatchObject({ audience: 1, would_send: 1, duplicates: 0 });
  });

  test.each([
    ['the zone of the organization', {}, '31 December'],
    [
      'the zone of the contact where it is sent in local time',
      { is_local: true, start_at: '2027-01-04T09:00:00' },
      '30 December',
    ],
  ])('shows a time of a text in %s', async (_, schedule, expected) => {
    await app.call('organization.update', { body: { timezone: 'Asia/Jakarta', timezone_field: 'zone' } });
    const { id } = await contact(app.em(), app.tenant.organizationId, { name: 'Ada' });
    await storedContacts.change(app, id, { custom_fields: { until: '2026-12-30T17:30:00Z', zone: 'Europe/London' } });
    const text = '{{ contact.custom_fields.until | date: "%d %B" }}';
    const variants = [variantOf(templateOf('greeting', text))];
    const service = await channelWithTemplates(app);
    const made = await completeDraft(app, service, { schedule, variants, audience: { contact_ids: [id] } });
    expect((await preview(made.id)).samples).toMatchObject([{ body: `Hello ${expected}`, failure: '' }]);
    const test = await app.call('campaigns.test', { ...at(made.id), body: { to: [id] } });
    const message = await app.message(test.body.message_ids[0]);
    expect(message!.content.components[0].parameters[0].text).toBe(expected);
    await app.call('organization.update', { body: { timezone: 'UTC', timezone_field: null } });
  });

  test('of a draft without anything is empty', async () => {
    const { body } = await app.call('campaigns.create', { body: { name: 'Empty' } });
    expect(await preview(body.id)).toMatchObject({ counts: { audience: 0, would_send: 0 }, samples: [] });
  });

  test('shows contacts, so it needs their scope too', async () => {
    const made = await completeDraft(app, channel);
    const { key } = await app.key(app.tenant.organizationId, ['campaigns:read']);
    const { status, body } = await app.call('campaigns.preview', { key, ...at(made.id) });
    expect([status, body.error.message]).toEqual([403, expect.stringContaining('contacts:read')]);
  });
});
