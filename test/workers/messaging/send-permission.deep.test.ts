import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';
import { templateRows } from '../../support/work/channels.ts';
import { blockRows, suppressionRows } from '../../support/work/contacts.ts';
import { messageRows } from '../../support/work/messages.ts';
import { ago, rightNow } from '../../support/work/rows.ts';

/** What changed between the promise to send and the send. The workers start when the messages wait. */
const app = useApp();
let channel: Channel;
let marketing: Channel;

const components = [{ type: 'body', parameters: [{ type: 'text', text: 'Ann' }] }];
const template = { type: 'template', text: undefined, template: { name: 'hello', language: 'en_US', components } };
const suppress = (contactID: string, more: object = {}) =>
  app.call('contacts.suppressions.create', { params: { contactID }, body: { channel: 'all', reason: 'complaint', ...more } });
const consent = (contactID: string, status: string) =>
  app.call('contacts.consents.put', { params: { contactID, channel: 'messaging_app' }, body: { status } });
const typesOf = async (conversationId: string) => (await app.events(conversationId)).map(({ type }) => type);

type Sent = { id: string; contactId: string; conversationId: string; phone: string };
async function queued(on: Channel, more: object = {}, isGranted = false): Promise<Sent> {
  const { id: conversationId, contactId, phone } = await app.conversation(on);
  if (isGranted) await consent(contactId, 'granted');
  const { status, body } = await app.text(on, phone, more);
  expect(status).toBe(201);
  return { id: body.data.id, contactId, conversationId, phone };
}
const sentTo = async (on: Channel, phone: string) => (await app.sends(on)).filter(({ body }) => body.to === phone).length;

const made = {} as Record<'suppressed' | 'expired' | 'blocked' | 'withdrawn' | 'granted' | 'forgotten' | 'unknown', Sent>;

beforeAll(async () => {
  channel = await app.connect();
  // The sync of the workers must find it so too.
  const hello = { id: app.phone(), name: 'hello', language: 'en_US', status: 'APPROVED', category: 'MARKETING' };
  marketing = await app.connect({ account: { templates: [{ ...hello, components: [{ type: 'BODY', text: 'Hello {{1}}' }] }] } });
  for (const one of [channel, marketing]) await app.storeTemplates(one);
  await templateRows.change(app, { channel_id: marketing.id }, { category: 'MARKETING' });
  made.suppressed = await queued(channel);
  await suppress(made.suppressed.contactId, { expires_at: new Date(Date.now() + 60_000).toISOString() });
  made.expired = await queued(channel);
  await suppress(made.expired.contactId);
  await suppressionRows.change(app, { contact_id: made.expired.contactId }, { expires_at: rightNow() });
  made.blocked = await queued(channel);
  await blockRows.add(app, {
    organization_id: app.tenant.organizationId,
    channel_id: channel.id,
    contact_id: made.blocked.contactId,
    address: made.blocked.phone,
    status: 'blocked',
    blocked_at: rightNow(),
  });
  made.withdrawn = await queued(marketing, template, true);
  await consent(made.withdrawn.contactId, 'denied');
  made.granted = await queued(marketing, template, true);
  made.forgotten = await queued(channel);
  await messageRows.change(app, made.forgotten.id, { contact_id: null, to_phone: '', to_user_id: '' });
  // Sent once before, and its answer was lost.
  made.unknown = await queued(channel);
  await suppress(made.unknown.contactId);
  await messageRows.change(app, made.unknown.id, { status: 'sending', sending_at: ago('1 hour') });
  await app.startWorkers();
});

describe('refused just before the provider is asked', () => {
  test.each([
    ['suppressed', 'suppressed', 'The contact is suppressed: complaint'],
    ['blocked', 'suppressed', 'The contact is suppressed: blocked'],
    ['withdrawn', 'consent_required', "Marketing needs the contact's consent on messaging_app: it is denied"],
    ['forgotten', 'contact_deleted', 'The contact was deleted before the message went out'],
  ] as const)('%s: failed with %s, told once, and nothing reached the provider', async (which, code, message) => {
    const { id, conversationId, phone } = made[which];
    const row = await app.messageIn(id, 'failed');
    expect(row.failure).toEqual({ code, provider_code: null, message });
    const events = (await app.events(conversationId)).filter(({ type }) => type === 'message.failed');
    expect(events).toEqual([
      { type: 'message.failed', data: expect.objectContaining({ message_id: id, code, reason: message, provider_code: '' }) },
    ]);
    expect(await sentTo(which === 'withdrawn' ? marketing : channel, phone)).toBe(0);
    expect(await app.jobOf(id)).toMatchObject({ state: 'failed', error: { code } });
  });

  test.each(['expired', 'granted'] as const)('%s: goes out', async (which) => {
    await app.messageIn(made[which].id, 'read');
  });

  test('the one resend of a lost answer: not sent again, and its outcome stays unknown', async () => {
    const { id, phone } = made.unknown;
    const row = await app.messageIn(id, 'failed');
    expect(row.failure).toMatchObject({ code: 'outcome_unknown', message: expect.stringContaining('suppressed: complaint') });
    expect(await sentTo(channel, phone)).toBe(0);
    expect((await app.call('messages.retry', { params: { messageID: id }, body: {} })).status).toBe(409);
  });
});

test('retried by hand it meets the same check, and goes out once the suppression was deleted', async () => {
  const { id, contactId, conversationId, phone } = made.suppressed;
  await app.messageIn(id, 'failed');
  const retry = () => app.call('messages.retry', { params: { messageID: id }, body: {} });
  expect((await retry()).status).toBe(200);
  await app.messageIn(id, 'failed');
  expect((await typesOf(conversationId)).filter((type) => type === 'message.failed')).toHaveLength(2);
  const { id: suppressionID } = await suppressionRows.one(app, { contact_id: contactId });
  await app.call('contacts.suppressions.delete', { params: { contactID: contactId, suppressionID } });
  await retry();
  await app.messageIn(id, 'read');
  expect(await sentTo(channel, phone)).toBe(1);
});
