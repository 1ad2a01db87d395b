import { beforeAll, describe, expect, test } from '@jest/globals';
import { hashesOf } from '../../../src/contacts/permission/suppressed-addresses.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { testSecrets } from '../../support/secrets.ts';
import { storedBlocks, storedSuppressedAddresses, storedSuppressions } from '../../support/stored/contacts.ts';
import { storedTemplates } from '../../support/stored/messaging.ts';
import { now } from '../../support/stored/times.ts';

/** Who may be written to, held against every way to name them. */
const app = useApp();
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
  await app.storeTemplates(channel);
  const hello = await storedTemplates.one(app, { channel_id: channel.id, name: 'hello' });
  await storedTemplates.add(app, {
    organization_id: hello.organization_id,
    channel_id: channel.id,
    provider_template_id: `9${hello.provider_template_id}`,
    name: 'sale',
    language: hello.language,
    category: 'MARKETING',
    status: 'approved',
    components: hello.components,
  });
});

const suppress = async (contactID: string, suppressed: string, more: object = {}) =>
  (
    await app.call('contacts.suppressions.create', {
      params: { contactID },
      body: { channel: suppressed, reason: 'unsubscribed', ...more },
    })
  ).body.data.id as string;
const consent = (contactID: string, of: string, status: string) =>
  app.call('contacts.consents.put', { params: { contactID, channel: of }, body: { status } });
const templateNamed = (name: string) => ({ type: 'template', text: undefined, template: { name, language: 'en_US' } });

async function refusal(to: string, more: object = {}) {
  const before = await app.counts();
  const { status, body } = await app.text(channel, to, more);
  expect(await app.counts()).toEqual(before);
  const { code, message, details } = body.error;
  return { status, code, message, why: details[0].code };
}
const suppressed = (reason: string) => ({
  status: 422,
  code: 'suppressed',
  message: `The contact is suppressed: ${reason}`,
  why: reason,
});
const needsConsent = (why: string) => ({ status: 422, code: 'consent_required', message: expect.stringContaining(why), why });

describe('suppressed', () => {
  test.each(['all', 'messaging_app'])('on %s: nothing goes out, however the contact is named, until it is lifted', async (on) => {
    const { contactId, phone } = await app.conversation(channel);
    const id = await suppress(contactId, on);
    for (const named of [{}, { to: undefined, contact_id: contactId }, { to: undefined, user_id: `US.${phone}` }])
      for (const what of [{}, templateNamed('hello'), templateNamed('sale')])
        expect(await refusal(phone, { ...named, ...what })).toEqual(suppressed('unsubscribed'));
    await app.call('contacts.suppressions.delete', { params: { contactID: contactId, suppressionID: id } });
    expect((await app.text(channel, phone)).status).toBe(201);
  });

  test.each(['email', 'sms', 'voice'])('on %s only: a message goes out', async (on) => {
    const { contactId, phone } = await app.conversation(channel);
    await suppress(contactId, on);
    expect((await app.text(channel, phone)).status).toBe(201);
  });

  test('until it expires, and by another reason', async () => {
    const { contactId, phone } = await app.conversation(channel);
    const id = await suppress(contactId, 'all', {
      reason: 'complaint',
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    expect(await refusal(phone)).toEqual(suppressed('complaint'));
    await storedSuppressions.change(app, id, { expires_at: now() });
    expect((await app.text(channel, phone)).status).toBe(201);
  });

  test('consent does not open what is suppressed', async () => {
    const { contactId, phone } = await app.conversation(channel);
    await suppress(contactId, 'messaging_app');
    await consent(contactId, 'messaging_app', 'granted');
    expect(await refusal(phone, templateNamed('sale'))).toEqual(suppressed('unsubscribed'));
  });

  test('another one of the same organization is not', async () => {
    const [one, other] = [await app.conversation(channel), await app.conversation(channel)];
    await suppress(one.contactId, 'all');
    expect((await app.text(channel, other.phone)).status).toBe(201);
  });
});

describe('blocked', () => {
  const block = (on: Channel, contactId: string, phone: string, status: string) =>
    storedBlocks.add(app, {
      organization_id: on.tenant.organizationId,
      channel_id: on.id,
      contact_id: contactId,
      address: phone,
      phone,
      status,
      blocked_at: ['blocked', 'unblocking'].includes(status) ? now() : null,
    });

  test('on this channel: suppressed, reason blocked', async () => {
    const { contactId, phone } = await app.conversation(channel);
    await block(channel, contactId, phone, 'blocked');
    expect(await refusal(phone)).toEqual(suppressed('blocked'));
  });

  test.each(['pending', 'unblocked', 'failed'])('%s: not blocked', async (status) => {
    const { contactId, phone } = await app.conversation(channel);
    await block(channel, contactId, phone, status);
    expect((await app.text(channel, phone)).status).toBe(201);
  });

  test('on another channel: not on this one', async () => {
    const { contactId, phone } = await app.conversation(channel);
    await block(await app.connect(), contactId, phone, 'blocked');
    expect((await app.text(channel, phone)).status).toBe(201);
  });
});

describe('marketing', () => {
  test.each(['denied', 'pending'])('with consent %s: refused, while a text and a utility template go out', async (status) => {
    const { contactId, phone } = await app.conversation(channel);
    await consent(contactId, 'messaging_app', status);
    expect(await refusal(phone, templateNamed('sale'))).toEqual(needsConsent(status));
    for (const what of [{}, templateNamed('hello')]) expect((await app.text(channel, phone, what)).status).toBe(201);
  });

  test('with consent for another channel alone: refused', async () => {
    const { contactId, phone } = await app.conversation(channel);
    await consent(contactId, 'email', 'granted');
    expect(await refusal(phone, templateNamed('sale'))).toEqual(needsConsent('missing'));
  });

  test('with consent: goes out', async () => {
    const { contactId, phone } = await app.conversation(channel);
    await consent(contactId, 'messaging_app', 'granted');
    expect((await app.text(channel, phone, templateNamed('sale'))).status).toBe(201);
  });

  test('to one nobody knows: refused, and nobody is made', async () => {
    expect(await refusal(app.phone(), templateNamed('sale'))).toEqual(needsConsent('missing'));
  });
});

describe('one who was forgotten', () => {
  const remember = async (phone: string, on: string) => {
    const { organizationId } = app.tenant;
    const [hash] = hashesOf(testSecrets, organizationId, [{ type: 'phone', source: '', value: `+${phone}` }]);
    await storedSuppressedAddresses.add(app, { organization_id: organizationId, hash, channel: on, reason: 'unsubscribed' });
  };

  test('and had said no is not written to, and is not made again by the try', async () => {
    const phone = app.phone();
    await remember(phone, 'all');
    expect(await refusal(phone, templateNamed('hello'))).toEqual(suppressed('unsubscribed'));
  });

  test('and had said no to another channel only may be; they come back with that no', async () => {
    const phone = app.phone();
    await remember(phone, 'sms');
    const { status, body } = await app.text(channel, phone, templateNamed('hello'));
    expect(status).toBe(201);
    const { data } = (await app.call('contacts.suppressions.list', { params: { contactID: body.data.contact_id } })).body;
    expect(data).toEqual([expect.objectContaining({ channel: 'sms', reason: 'unsubscribed' })]);
  });
});
