import { beforeAll, describe, expect, test } from '@jest/globals';
import { recordAccepted } from '../../../src/messaging/settle.ts';
import { answerLock, conversationLane } from '../../../src/platform/ledger/locks.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { bodyFor, bodyOf, change, entry, failure, newId, statusOf } from '../../support/provider-body.ts';
import { waitFor } from '../../support/wait-for.ts';
import { templateRows } from '../../support/work/channels.ts';
import { redispatchNow } from '../../support/work/jobs.ts';
import { messageRows } from '../../support/work/messages.ts';
import { lastWebhook, unmatchedStatusRows } from '../../support/work/provider-webhooks.ts';
import { ago, rightNow } from '../../support/work/rows.ts';

const app = useApp({ workers: true });
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
  await waitFor('its templates', async () => (await templateRows.count(app, { channel_id: channel.id })) > 0);
});

type Wanted = { status?: string; providerMessageId?: string | null };

/** A message as the provider's answer leaves it. */
async function message({ status = 'sent', providerMessageId = newId() }: Wanted = {}) {
  const { id: conversationId, contactId, phone } = await app.conversation(channel);
  const id = await messageRows.add(app, {
    organization_id: app.tenant.organizationId,
    channel_id: channel.id,
    conversation_id: conversationId,
    contact_id: contactId,
    direction: 'outbound',
    type: 'text',
    status: status as 'sent',
    to_phone: phone,
    content: {},
    provider_message_id: providerMessageId,
    sending_at: rightNow(),
  });
  return { id, conversationId, providerId: providerMessageId ?? newId() };
}

const statuses = async (...list: object[]) => {
  expect((await app.webhook(bodyFor(channel, { statuses: list }))).status).toBe(200);
  await app.idle();
};
const updatesOf = async (conversationId: string) =>
  (await app.events(conversationId)).filter(({ type }) => type === 'message.status_update').map(({ data }) => data.status);
const statusNow = async (id: string) => (await app.message(id)).status;

describe('the rank only rises', () => {
  test.each([
    ['in order', ['sent', 'delivered', 'read'], 'read', ['delivered', 'read']],
    ['backwards', ['read', 'delivered', 'sent'], 'read', ['read']],
    ['read at once: it implies delivered', ['read'], 'read', ['read']],
    ['twice each', ['delivered', 'delivered', 'read', 'read', 'delivered'], 'read', ['delivered', 'read']],
    ['played is read', ['played'], 'read', ['read']],
    ['a word nobody knows', ['warmed'], 'sent', []],
    ['failed after sent', ['failed', 'delivered', 'read', 'sent'], 'failed', ['failed']],
    ['failed after delivered', ['delivered', 'failed'], 'delivered', ['delivered']],
    ['failed after read', ['read', 'failed'], 'read', ['read']],
    ['failed twice', ['failed', 'failed'], 'failed', ['failed']],
  ])('%s', async (_what, words, wanted, events) => {
    const { id, conversationId, providerId } = await message();
    for (const word of words) await statuses(statusOf(providerId, word, word === 'failed' ? failure(131026) : {}));
    expect(await statusNow(id)).toBe(wanted);
    expect(await updatesOf(conversationId)).toEqual(events);
  });

  test('all in one body, and many bodies at once', async () => {
    const { id, conversationId, providerId } = await message();
    const all = ['read', 'sent', 'delivered'].map((word) => statusOf(providerId, word));
    await Promise.all([statuses(...all), statuses(...all.toReversed()), ...all.map((one) => statuses(one))]);
    expect(await statusNow(id)).toBe('read');
    const events = await updatesOf(conversationId);
    expect(events.at(-1)).toBe('read');
    expect(new Set(events).size).toBe(events.length);
  });
});

test('a failure says why, in the record and in its event', async () => {
  const { id, conversationId, providerId } = await message();
  await statuses(statusOf(providerId, 'failed', failure(131047, 'Re-engagement message')));
  const { body } = await app.call('messages.get', { params: { messageID: id } });
  const refusal = { code: 'provider_refused', provider_code: '131047', message: 'Re-engagement message' };
  expect(body.data.failure).toEqual(refusal);
  const events = await app.events(conversationId);
  expect(events.map(({ type }) => type)).toEqual(['message.status_update', 'message.failed']);
  expect(events[0].data).toEqual({
    message_id: id,
    status: 'failed',
    conversation_id: conversationId,
    organization_id: app.tenant.organizationId,
  });
  expect(events[1].data).toEqual({
    message_id: id,
    conversation_id: conversationId,
    channel_id: channel.id,
    code: refusal.code,
    provider_code: refusal.provider_code,
    reason: refusal.message,
  });
});

test.each([
  ['without errors', {}],
  ['with an empty list', { errors: [] }],
  ['with NUL in the text', failure(1, 'a\u0000b')],
])('a failure %s still has a reason', async (_what, more) => {
  const { id, providerId } = await message();
  await statuses(statusOf(providerId, 'failed', more));
  const { body } = await app.call('messages.get', { params: { messageID: id } });
  expect(body.data.failure.message).not.toBe('');
});

describe('whose status it is', () => {
  test('ours in the callback data, when the provider never told its own', async () => {
    const { id, conversationId, providerId } = await message({ status: 'sending', providerMessageId: null });
    await statuses(statusOf(providerId, 'delivered', { biz_opaque_callback_data: id }));
    expect(await app.message(id)).toMatchObject({ status: 'delivered', provider_message_id: providerId });
    expect((await app.events(conversationId)).map(({ type }) => type)).toEqual([
      'message.sent',
      'message.status_update',
      'message.status_update',
    ]);
    expect(await updatesOf(conversationId)).toEqual(['sent', 'delivered']);
  });

  test("another organization's message is not touched, by either id", async () => {
    const { id, providerId } = await message();
    const other = await app.connect({ tenant: await app.organization() });
    await app.webhook(
      bodyFor(other, { statuses: [statusOf(providerId, 'read'), statusOf(newId(), 'read', { biz_opaque_callback_data: id })] }),
    );
    await app.idle();
    expect(await statusNow(id)).toBe('sent');
  });

  test("another channel's neither", async () => {
    const { id, providerId } = await message();
    const other = await app.connect();
    await app.webhook(bodyFor(other, { statuses: [statusOf(providerId, 'read', { biz_opaque_callback_data: id })] }));
    await app.idle();
    expect(await statusNow(id)).toBe('sent');
  });

  test("an inbound message's id is nobody's status", async () => {
    const { id, providerId } = await message();
    await messageRows.change(app, id, { direction: 'inbound', status: 'received' });
    await statuses(statusOf(providerId, 'read'));
    expect(await statusNow(id)).toBe('received');
  });

  test('one that matches nobody is kept, and matched when the answer to the send arrives', async () => {
    const { id, conversationId } = await message({ status: 'sending', providerMessageId: null });
    const late = newId();
    await app.webhook(bodyFor(channel, { statuses: [statusOf(late, 'delivered')] }));
    const kept = await waitFor('it to be kept', async () => {
      const [row] = await unmatchedStatusRows.all(app, { provider_message_id: late });
      return row;
    });
    expect(kept.state).toBe('waiting');
    const locks = [conversationLane(conversationId), answerLock(channel.id, late)];
    await app.web.deps.ledger.transact({ locks }, (tx) => recordAccepted(tx.of(app.tenant.organizationId), id, late));
    await app.messageIn(id, 'delivered');
    expect(await updatesOf(conversationId)).toEqual(['sent', 'delivered']);
    await waitFor('the row to say so', async () => (await unmatchedStatusRows.one(app, kept.id)).state === 'matched');
    expect(await app.jobOf(kept.id)).toBeUndefined();
  });

  test('after ten minutes it is dropped', async () => {
    const nobody = newId();
    await app.webhook(bodyFor(channel, { statuses: [statusOf(nobody, 'read')] }));
    const kept = await waitFor('it to be kept', async () => {
      await unmatchedStatusRows.change(app, { provider_message_id: nobody }, { received_at: ago('11 min') });
      return (await unmatchedStatusRows.all(app, { provider_message_id: nobody }, ['id']))[0];
    });
    // Its first run is over: that run would move the time of the next one.
    await app.idle();
    // Its time has come: the sweeper finds a run that the queue does not know.
    await redispatchNow(app, { subject_id: kept.id });
    await waitFor('it to be dropped', async () => {
      const [row] = await unmatchedStatusRows.all(app, kept.id, ['state']);
      return row?.state === 'dropped';
    });
  });
});

describe('a template changes its state', () => {
  const templateOf = (name: string) => templateRows.one(app, { channel_id: channel.id, name });
  const templateBody = (id: unknown, event: string, of: Channel = channel) =>
    bodyOf(
      entry(of, {
        field: 'message_template_status_update',
        value: { event, message_template_id: id, message_template_name: 'hello' },
      }),
    );

  test('and is told, once a change; the id may be a number', async () => {
    const { id, provider_template_id } = await templateOf('hello');
    for (const event of ['PAUSED', 'PAUSED', 'REINSTATED']) {
      await app.webhook(templateBody(Number(provider_template_id), event));
      await app.idle();
    }
    expect((await templateOf('hello')).status).toBe('approved');
    expect((await app.events(id)).map(({ type, data }) => [type, data.template_id, data.status])).toEqual([
      ['template.status_update', id, 'paused'],
      ['template.status_update', id, 'approved'],
    ]);
  });

  test("not by another organization's account, and not for a template nobody has", async () => {
    const { provider_template_id, status } = await templateOf('old');
    const other = await app.connect({ tenant: await app.organization() });
    await app.webhook(templateBody(provider_template_id, 'APPROVED', other));
    await app.webhook(templateBody('1', 'APPROVED'));
    await app.idle();
    expect((await templateOf('old')).status).toBe(status);
  });

  test('without an id it is kept as broken, beside others that are not', async () => {
    const { id, providerId } = await message();
    await app.webhook(
      bodyOf(
        entry(
          channel,
          { field: 'message_template_status_update', value: {} },
          change(channel, { statuses: [statusOf(providerId, 'read')] }),
        ),
      ),
    );
    await app.idle();
    expect(await statusNow(id)).toBe('read');
    const { state, errors } = await lastWebhook(app);
    expect(state).toBe('broken');
    expect(errors).toHaveLength(1);
  });
});
