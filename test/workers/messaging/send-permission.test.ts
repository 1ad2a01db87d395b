import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Channel, useApp } from '../../support/app.ts';

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
  await app.rows(`update templates set category = 'MARKETING' where channel_id = $1`, [marketing.id]);
  made.suppressed = await queued(channel);
  await suppress(made.suppressed.contactId, { expires_at: new Date(Date.now() + 60_000).toISOString() });
  made.expired = await queued(channel);
  await suppress(made.expired.contactId);
  await app.rows('update contact_suppressions set expires_at = clock_timestamp() where contact_id = $1', [
    made.expired.contactId,
  ]);
  made.blocked = await queued(channel);
  await app.rows(
    `insert into contact_blocks (id, organization_id, channel_id, contact_id, address, status, blocked_at) values (uuidv7(), $1, $2, $3, $4, 'blocked', clock_timestamp())`,
    [app.tenant.organizationId, channel.id, made.blocked.contactId, made.blocked.phone],
  );
  made.withdrawn = await queued(marketing, template, true);
  await consent(made.withdrawn.contactId, 'denied');
  made.granted = await queued(marketing, template, true);
  made.forgotten = await queued(channel);
  await app.rows(`update messages set contact_id = null, to_phone = '', to_user_id = '' where id = $1`, [made.forgotten.id]);
  // Sent once before, and its answer was lost.
  made.unknown = await queued(channel);
  await suppress(made.unknown.contactId);
  await app.rows(`update messages set status = 'sending', sending_at = clock_timestamp() - interval '1 hour' where id = $1`, [
    made.unknown.id,
  ]);
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
  const [{ id: suppressionID }] = await app.rows('select id from contact_suppressions where contact_id = $1', [contactId]);
  await app.call('contacts.suppressions.delete', { params: { contactID: contactId, suppressionID } });
  await retry();
  await app.messageIn(id, 'read');
  expect(await sentTo(channel, phone)).toBe(1);
});
