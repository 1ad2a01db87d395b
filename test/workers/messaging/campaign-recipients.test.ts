import { beforeAll, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { campaign } from '../../support/factories/campaign.ts';
import { bodyFor, inboundFrom } from '../../support/provider-body.ts';
import { campaignRows, recipientRows } from '../../support/work/campaigns.ts';
import { conversationRows, messageRows } from '../../support/work/messages.ts';
import { movedBack, rightNow } from '../../support/work/rows.ts';

/** Messages of a campaign as its feed makes them; the workers start when they wait. */
const app = useApp({ workerEnv: { STOP_WORDS: 'STOP' } });
let channel: Channel;
let campaignId: string;
/** By the status of its recipient. */
const otherCampaignId: Record<string, string> = {};

type Made = { id: string; recipientId: string; contactId: string; conversationId: string; phone: string };
const made = {} as Record<
  'read' | 'suppressed' | 'undeliverable' | 'paused' | 'answers' | 'clicks' | 'stops' | 'old' | 'overlapped' | 'ordinary',
  Made
>;

async function recipientOn(on: Channel, ofCampaign: string): Promise<Made> {
  const { id: conversationId, contactId, phone } = await app.conversation(on);
  const { id } = (await app.text(on, phone)).body.data;
  const recipientId = uuidv7();
  await messageRows.change(app, id, { campaign_id: ofCampaign });
  await recipientRows.add(app, {
    id: recipientId,
    organization_id: app.tenant.organizationId,
    campaign_id: ofCampaign,
    contact_id: contactId,
    channel_id: on.id,
    status: 'queued',
    message_id: id,
    attempts: 1,
    queued_at: rightNow(),
  });
  await conversationRows.change(app, conversationId, { awaited_recipient_id: recipientId });
  return { id, recipientId, contactId, conversationId, phone };
}
const recipient = ({ recipientId }: Made): Promise<Body> => recipientRows.one(app, recipientId);
const refusing = async (code: number) => {
  const own = await app.connect();
  await app.fault(own, { status: 400, code });
  return own;
};

beforeAll(async () => {
  channel = await app.connect();
  const running = () =>
    campaign(app.em(), app.tenant.organizationId, { status: 'running', phase: 'sending', purpose: 'service' });
  campaignId = (await running()).id;
  for (const status of ['queued', 'failed', 'skipped']) otherCampaignId[status] = (await running()).id;
  for (const name of ['read', 'suppressed', 'answers', 'clicks', 'stops', 'old', 'overlapped'] as const)
    made[name] = await recipientOn(channel, campaignId);
  await app.call('contacts.suppressions.create', {
    params: { contactID: made.suppressed.contactId },
    body: { channel: 'all', reason: 'complaint' },
  });
  made.undeliverable = await recipientOn(await refusing(131026), campaignId);
  made.paused = await recipientOn(await refusing(132015), campaignId);
  const { id: conversationId, contactId, phone } = await app.conversation(channel);
  made.ordinary = { id: (await app.text(channel, phone)).body.data.id, recipientId: '', contactId, conversationId, phone };
  await app.startWorkers();
  for (const name of ['read', 'answers', 'clicks', 'stops', 'old', 'overlapped', 'ordinary'] as const)
    await app.messageIn(made[name].id, 'read');
  for (const name of ['suppressed', 'undeliverable', 'paused'] as const) await app.messageIn(made[name].id, 'failed');
});

describe('a recipient follows the message', () => {
  test('through to read, with each time', async () => {
    const row = await recipient(made.read);
    expect(row.status).toBe('read');
    for (const at of ['sent_at', 'delivered_at', 'read_at', 'result_at']) expect(row[at]).not.toBeNull();
    expect(row.failed_at).toBeNull();
  });

  test('refused at the claim, by the provider, and for its template', async () => {
    expect(await recipient(made.suppressed)).toMatchObject({ status: 'skipped', reason: 'suppressed' });
    expect(await recipient(made.undeliverable)).toMatchObject({ status: 'failed', failure_code: '131026' });
    expect(await recipient(made.paused)).toMatchObject({ status: 'pending', message_id: null });
    expect((await campaignRows.one(app, campaignId)).alarm).toBe('template_paused');
  });

  test('events and the message name the campaign, those of other messages do not', async () => {
    const told = async ({ conversationId }: Made) =>
      (await app.events(conversationId)).filter(({ type }) =>
        ['message.sent', 'message.status_update', 'message.failed'].includes(type),
      );
    for (const one of [made.read, made.undeliverable])
      for (const { data } of await told(one)) expect(data.campaign_id).toBe(campaignId);
    for (const { data } of await told(made.ordinary)) expect(data).not.toHaveProperty('campaign_id');
    const shown = async (messageID: string) => (await app.call('messages.get', { params: { messageID } })).body.data.campaign_id;
    expect(await shown(made.read.id)).toBe(campaignId);
    expect(await shown(made.ordinary.id)).toBeNull();
  });

  test('a message that failed may be retried, and the recipient with it; one the campaign let go may not', async () => {
    const { status } = await app.call('messages.retry', { params: { messageID: made.undeliverable.id }, body: {} });
    expect(status).toBeLessThan(300);
    await app.messageIn(made.undeliverable.id, 'read');
    expect(await recipient(made.undeliverable)).toMatchObject({ status: 'read', failure_code: '', failed_at: null });
    for (const one of [made.paused, made.suppressed])
      expect((await app.call('messages.retry', { params: { messageID: one.id }, body: {} })).status).toBe(409);
  });
});

const write = async ({ phone }: Made, more: object = {}) => {
  expect((await app.webhook(bodyFor(channel, inboundFrom(phone, { ...more })))).status).toBe(200);
  await app.idle();
};
const awaited = async ({ conversationId }: Made) => (await conversationRows.one(app, conversationId)).awaited_recipient_id;

describe('what a person does after it', () => {
  test('their first message is the answer, and no later one', async () => {
    await write(made.answers);
    const { replied_at, clicked_at } = await recipient(made.answers);
    expect(replied_at).not.toBeNull();
    expect(clicked_at).toBeNull();
    expect(await awaited(made.answers)).toBeNull();
    await write(made.answers);
    expect((await recipient(made.answers)).replied_at).toEqual(replied_at);
  });

  test('a button of the message is a click, and an answer', async () => {
    const { provider_message_id } = await app.message(made.clicks.id);
    await write(made.clicks, {
      ...{ type: 'button', text: undefined, button: { payload: 'YES', text: 'Yes' } },
      context: { from: '1', id: provider_message_id },
    });
    const { replied_at, clicked_at } = await recipient(made.clicks);
    expect(replied_at).not.toBeNull();
    expect(clicked_at).not.toBeNull();
  });

  test('a stop word is an opt out', async () => {
    await write(made.stops, { text: { body: 'STOP' } });
    expect((await recipient(made.stops)).opted_out_at).not.toBeNull();
  });

  test('after 72 hours neither is because of it', async () => {
    await recipientRows.change(app, made.old.recipientId, { sent_at: movedBack('sent_at', '73 hours') });
    await write(made.old, { text: { body: 'STOP' } });
    expect(await recipient(made.old)).toMatchObject({ replied_at: null, opted_out_at: null });
    expect(await awaited(made.old)).toBeNull();
  });

  test('before it went out nothing is an answer', async () => {
    await recipientRows.change(app, made.read.recipientId, { status: 'queued', sent_at: null });
    await write(made.read);
    expect((await recipient(made.read)).replied_at).toBeNull();
    expect(await awaited(made.read)).toBe(made.read.recipientId);
  });

  test.each(['queued', 'failed', 'skipped'])('a message of a later campaign is %s: it answers the one before', async (status) => {
    const { conversationId, contactId } = made.overlapped;
    await recipientRows.change(app, made.overlapped.recipientId, { replied_at: null });
    const later = await recipientRows.add(app, {
      organization_id: app.tenant.organizationId,
      campaign_id: otherCampaignId[status],
      contact_id: contactId,
      channel_id: channel.id,
      status: status as 'queued',
      queued_at: rightNow(),
    });
    await conversationRows.change(app, conversationId, { awaited_recipient_id: later });
    await write(made.overlapped);
    expect((await recipient(made.overlapped)).replied_at).not.toBeNull();
    expect((await recipientRows.one(app, later)).replied_at).toBeNull();
    expect(await awaited(made.overlapped)).toBe(status === 'queued' ? later : null);
  });
});
