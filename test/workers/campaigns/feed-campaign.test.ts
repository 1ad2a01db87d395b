import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { campaignLane } from '../../../src/campaigns/jobs.ts';
import { pauseCampaign } from '../../../src/campaigns/pause.ts';
import { addRecipients } from '../../../src/campaigns/recipients/add.ts';
import { lookAtPair, mergeContacts, mergeLocks } from '../../../src/contacts/merging/merge.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type CampaignHouse, openCampaignHouse } from '../../support/campaigns.ts';
import type { ChannelMade } from '../../support/factories/channel.ts';
import { waitFor } from '../../support/wait-for.ts';
import { campaignRows, recipientRows } from '../../support/work/campaigns.ts';
import { channelHealthRows } from '../../support/work/channels.ts';
import { blockRows, contactRows, suppressionRows } from '../../support/work/contacts.ts';
import { eventRows } from '../../support/work/events.ts';
import { postpone } from '../../support/work/jobs.ts';
import { conversationRows, messageRows } from '../../support/work/messages.ts';
import { organizationRows } from '../../support/work/organizations.ts';
import { ago, ahead, movedBack, rightNow } from '../../support/work/rows.ts';

let at: CampaignHouse;
let channel: ChannelMade;
beforeAll(async () => {
  at = await openCampaignHouse();
});
beforeEach(async () => {
  channel = await at.connected();
});
afterAll(() => at.close());

/** A running campaign to them, whose feed has its row. */
async function fed(contactIds: string[], given: Parameters<CampaignHouse['campaign']>[0] = {}, on = [channel]) {
  const id = await at.campaign({ channels: on.map((one) => one.id), ...given });
  for (const [index, one] of on.entries())
    await at.recipients(
      id,
      one.id,
      contactIds.filter((_, place) => place % on.length === index),
    );
  await at.startFeed(id);
  return id;
}

const conversationOf = (contactId: string, status: 'open' | 'resolved' = 'open') =>
  conversationRows.add(at, { organization_id: at.organization, channel_id: channel.id, contact_id: contactId, status });
const eventsOf = (subjectId: string) => eventRows.all(at, { subject_id: subjectId }, ['type', 'data'], { id: 'asc' });

test('recipient, message, job and events are one: in a conversation that is there, and in one that begins', async () => {
  const [known, unknown] = await at.people({ count: 2 });
  const conversation = await conversationOf(known!, 'resolved');
  const id = await fed([known!, unknown!]);
  expect(await at.feed(id)).toMatchObject({ kind: 'wait' });
  const messages = await at.messagesOf(id);
  expect(messages.map(({ contact_id, status }) => [contact_id, status])).toEqual([
    [known, 'queued'],
    [unknown, 'queued'],
  ]);
  expect(messages[0]!.conversation_id).toBe(conversation);
  const rows = await at.sql(
    `select m.content, m.to_phone, r.status, r.attempts, r.queued_at is not null as is_queued, j.lane, j.pool, j.queue, v.status as conversation,
            v.preview, v.awaited_recipient_id = r.id as is_awaited
       from campaign_recipients r join messages m on m.id = r.message_id join jobs j on j.subject_id = m.id
       join conversations v on v.id = m.conversation_id
      where r.campaign_id = $1 order by r.contact_id`,
    [id],
  );
  const row = (index: number) => ({
    content: {
      name: 'offer',
      language: 'en_US',
      components: [{ type: 'body', parameters: [{ type: 'text', text: expect.stringMatching(/^Person \d+$/) }] }],
    },
    ...{ to_phone: expect.stringMatching(/^1650\d{7}$/), status: 'queued', attempts: 1, is_queued: true },
    ...{ lane: `conversation:${messages[index]!.conversation_id}`, pool: channel.pool, queue: 'bulk-messages' },
    ...{ conversation: 'open', preview: '[offer]', is_awaited: true },
  });
  expect(rows).toEqual([row(0), row(1)]);
  expect(await eventsOf(conversation)).toEqual([
    { type: 'conversation.updated', data: { conversation_id: conversation, status: 'open', changed: ['status', 'preview'] } },
  ]);
  const begun = messages[1]!.conversation_id;
  expect(await eventsOf(begun)).toEqual([
    {
      type: 'conversation.created',
      data: { conversation_id: begun, contact_id: unknown, channel_id: channel.id, status: 'open' },
    },
    { type: 'conversation.updated', data: { conversation_id: begun, status: 'open', changed: ['preview'] } },
  ]);
  expect(await checkJobs(at.house.database)).toEqual([]);
});

test('completed when nobody is pending and nobody queued; the last counts are told', async () => {
  const id = await fed(await at.people({ count: 2 }));
  await at.feed(id);
  expect(await at.feed(id)).toMatchObject({ kind: 'wait', delayMs: 1_000 });
  expect(await at.statusOf(id)).toMatchObject({ status: 'running', phase: 'settling' });
  await at.settle(id);
  expect((await at.feed(id)).kind).toBe('done');
  expect(await at.statusOf(id)).toEqual({ status: 'completed', phase: null, reason: '' });
  const told = (await eventsOf(id)).at(-1);
  expect(told).toMatchObject({ type: 'campaign.completed', data: { counts: { total: 2, sent: 2, failed: 0, skipped: 0 } } });
});

test('each refusal is the reason of its recipient, and nobody else waits for them', async () => {
  const [fine, suppressed, blocked, extra, erased] = (await at.people({ count: 5 })) as [string, string, string, string, string];
  const [silent] = await at.people({ count: 1, consent: null });
  const [denied] = await at.people({ count: 1, consent: 'denied' });
  const [nowhere] = await at.people({ count: 1, hasAddress: false });
  const [nameless] = await at.people({ count: 1 });
  await contactRows.change(at, nameless!, { name: '' });
  await suppressionRows.add(at, { organization_id: at.organization, contact_id: suppressed, channel: 'all', reason: 'manual' });
  await blockRows.add(at, {
    organization_id: at.organization,
    channel_id: channel.id,
    contact_id: blocked,
    address: 'x',
    status: 'blocked',
    blocked_at: rightNow(),
  });
  const id = await fed([fine, suppressed, blocked, extra, erased, silent!, denied!, nowhere!, nameless!]);
  await recipientRows.change(at, { campaign_id: id, contact_id: extra }, { is_extra: true });
  await recipientRows.change(at, { campaign_id: id, contact_id: erased }, { contact_id: null });
  await at.feed(id);
  expect(await at.counts(id)).toEqual({
    queued: 1,
    'skipped: suppressed': 2,
    'skipped: duplicate': 1,
    'skipped: contact_deleted': 1,
    'skipped: consent_required': 2,
    'skipped: no_address': 1,
    'skipped: render_failed': 1,
  });
});

test('a person who was skipped is merged with one who waits: they are written to', async () => {
  const [survivor, merged] = (await at.people({ count: 2 })) as [string, string];
  const id = await fed([survivor, merged]);
  await recipientRows.change(at, { campaign_id: id, contact_id: survivor }, { status: 'skipped', reason: 'no_address' });
  const asked = { id: survivor, otherId: merged };
  const look = () => lookAtPair(ownRows(at.house.database, at.organization), asked);
  await at.house.ledger.transact({ look, locks: mergeLocks }, (tx) => mergeContacts(tx.of(at.organization), 'cli', asked));
  await at.feed(id);
  expect(await at.counts(id)).toEqual({ queued: 1, 'skipped: no_address': 1 });
});

test.each([
  ['service', 'utility', 'queued'],
  ['service', 'marketing', 'skipped: consent_required'],
  ['marketing', 'utility', 'skipped: consent_required'],
])('without consent, %s with a template of %s: %s', async (purpose, category, outcome) => {
  channel = await at.connected({ category });
  const id = await fed(await at.people({ count: 1, consent: null }), { purpose });
  await at.feed(id);
  expect(await at.counts(id)).toEqual({ [outcome]: 1 });
});

test('a second of the rate, less what nobody has claimed; then it waits until half of it is gone', async () => {
  channel = await at.connected({ rate: 80 });
  const id = await fed(await at.people({ count: 200 }));
  const first = await at.feed(id);
  expect(first).toMatchObject({ kind: 'wait', delayMs: 500 });
  expect(await at.counts(id)).toEqual({ queued: 80, pending: 120 });
  await at.feed(id);
  expect(await at.counts(id)).toEqual({ queued: 80, pending: 120 });
  const oldest = (await at.messagesOf(id)).slice(0, 30).map((message) => message.id);
  await messageRows.change(at, { id: { $in: oldest } }, { status: 'sending' });
  await at.feed(id);
  expect(await at.counts(id)).toEqual({ queued: 110, pending: 90 });
});

test('those who are due first go first', async () => {
  channel = await at.connected({ rate: 2 });
  const [late, early, soon] = await at.people({ count: 3 });
  const id = await fed([late!, early!, soon!]);
  for (const [contactId, seconds] of [
    [late, 1],
    [early, 3],
    [soon, 2],
  ])
    await recipientRows.change(at, { campaign_id: id, contact_id: contactId as string }, { due_at: ago(`${seconds} min`) });
  await at.feed(id);
  expect((await at.messagesOf(id)).map(({ contact_id }) => contact_id)).toEqual([early, soon]);
});

test('over several channels each has its own room; two campaigns share one', async () => {
  const [one, two] = [await at.connected({ rate: 40 }), await at.connected({ rate: 20 })];
  const id = await fed(await at.people({ count: 200 }), {}, [one, two]);
  const other = await fed(await at.people({ count: 100 }), {}, [one]);
  await at.feed(id);
  const count = async (campaignId: string, on: ChannelMade) =>
    (await at.messagesOf(campaignId)).filter(({ channel_id }) => channel_id === on.id).length;
  expect([await count(id, one), await count(id, two)]).toEqual([20, 20]);
  await at.feed(other);
  expect(await count(other, one)).toBe(20);
  // One that sleeps leaves its share to the other.
  await postpone(at, { subject_id: id, name: 'campaigns.feed' }, '1 hour');
  await at.feed(other);
  expect(await count(other, one)).toBe(40);
});

test('a quiet zone waits, an open one goes', async () => {
  const [berlin, tokyo] = await at.people({ count: 2 });
  // Quiet for 23 hours, but for the hour that it is in Berlin.
  const hour = Number(new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Berlin', hour: '2-digit' }).format());
  const clock = (value: number) => `${String(((value % 24) + 24) % 24).padStart(2, '0')}:00`;
  const schedule = { quiet_hours: { from: clock(hour + 1), to: clock(hour) } };
  const id = await at.campaign({ channels: [channel.id], schedule });
  await campaignRows.change(at, id, { zones: ['Asia/Tokyo', 'Europe/Berlin'] });
  await at.recipients(id, channel.id, [berlin!], { zone: 'Europe/Berlin' });
  await at.recipients(id, channel.id, [tokyo!], { zone: 'Asia/Tokyo' });
  await at.startFeed(id);
  await at.feed(id);
  expect((await at.messagesOf(id)).map(({ contact_id }) => contact_id)).toEqual([berlin]);
  await at.settle(id);
  const slept = await at.feed(id);
  expect(slept.kind === 'wait' && slept.delayMs).toBeGreaterThan(60 * 60_000);
});

test('asleep until tomorrow, it wakes for whoever is added', async () => {
  const [sleeps, added] = await at.people({ count: 2 });
  const id = await fed([sleeps!]);
  await recipientRows.change(at, { campaign_id: id }, { due_at: ahead('1 day') });
  const slept = await at.feed(id);
  expect(slept.kind === 'wait' && slept.delayMs).toBeGreaterThan(23 * 60 * 60_000);
  const feeds = () =>
    at.sql(
      `select count(*)::int as rows, min(run_at) <= clock_timestamp() as is_due
         from jobs where subject_id = $1 and name = 'campaigns.feed' and state = 'queued'`,
      [id],
    );
  await postpone(at, { subject_id: id }, '1 day');
  await at.house.ledger.transact({ locks: [campaignLane(id)] }, (tx) =>
    addRecipients(tx.of(at.organization), id, [{ contactId: added! }]),
  );
  expect(await feeds()).toEqual([{ rows: 1, is_due: true }]);
  await at.feed(id);
  expect((await at.messagesOf(id)).map(({ contact_id }) => contact_id)).toEqual([added]);
});

test('after its end nobody is written to: those who wait have expired', async () => {
  const id = await fed(await at.people({ count: 3 }), { schedule: { end_at: '2020-01-01T00:00:00Z' } });
  expect((await at.feed(id)).kind).toBe('done');
  expect(await at.counts(id)).toEqual({ 'skipped: expired': 3 });
  expect(await at.statusOf(id)).toMatchObject({ status: 'completed' });
});

test('whose zone is over has expired, those of other zones have not', async () => {
  const [tokyo, hawaii] = await at.people({ count: 2 });
  const wall = (inHours: number) => new Date(Date.now() + inHours * 3_600_000).toISOString().slice(0, 19);
  // In Tokyo it is over since an hour, in Hawaii it is not.
  const schedule = { is_local: true, start_at: wall(-24), end_at: wall(8), timezone: 'UTC' };
  const id = await at.campaign({ channels: [channel.id], schedule });
  await campaignRows.change(at, id, { zones: ['Asia/Tokyo', 'Pacific/Honolulu'] });
  await at.recipients(id, channel.id, [tokyo!], { zone: 'Asia/Tokyo' });
  await at.recipients(id, channel.id, [hawaii!], { zone: 'Pacific/Honolulu' });
  await at.startFeed(id);
  await at.feed(id);
  expect(await at.counts(id)).toEqual({ 'skipped: expired': 1, queued: 1 });
});

test('with a pace of its own it makes no more than that', async () => {
  const id = await fed(await at.people({ count: 100 }), { pace: { per_minute: 600 } });
  await at.feed(id);
  expect((await at.messagesOf(id)).length).toBe(10);
  await at.feed(id);
  expect((await at.messagesOf(id)).length).toBeLessThan(20);
  const slow = await fed(await at.people({ count: 3 }), { pace: { per_minute: 6 } });
  await at.feed(slow);
  const waited = await at.feed(slow);
  expect((await at.messagesOf(slow)).length).toBe(1);
  expect(waited.kind === 'wait' && waited.delayMs).toBeGreaterThan(3_000);
});

test('the daily limit of the account holds over its channels', async () => {
  const accountId = '2123';
  const both = [await at.connected({ accountId }), await at.connected({ accountId })];
  for (const { id } of both)
    await channelHealthRows.add(at, { organization_id: at.organization, channel_id: id, messaging_limit: 'TIER_50' });
  const id = await fed(await at.people({ count: 120 }), {}, both);
  await at.feed(id);
  expect(await at.counts(id)).toEqual({ queued: 50, pending: 70 });
  await at.settle(id);
  const waited = await at.feed(id);
  expect(await at.counts(id)).toEqual({ sent: 50, pending: 70 });
  // Others may be due before the day is over: it looks again.
  expect(waited.kind === 'wait' && waited.delayMs).toBe(60_000);
  await recipientRows.change(at, { campaign_id: id }, { queued_at: movedBack('queued_at', '25 hours') });
  await at.feed(id);
  expect(await at.counts(id)).toEqual({ sent: 50, queued: 50, pending: 20 });
});

test('a cap of one over two campaigns to the same people at once: one message each', async () => {
  await organizationRows.change(at, at.organization, { frequency_cap: { max: 1, days: 7 } });
  const all = await at.people({ count: 120 });
  channel = await at.connected({ rate: 1_000 });
  const [one, two] = [await fed(all), await fed(all.toReversed())];
  await Promise.all([at.feed(one), at.feed(two)]);
  await organizationRows.change(at, at.organization, { frequency_cap: null });
  const messages = await messageRows.all(at, { campaign_id: { $in: [one, two] } }, ['contact_id']);
  expect(messages).toHaveLength(120);
  expect(new Set(messages.map(({ contact_id }) => contact_id)).size).toBe(120);
});

test('paused or without its row it makes nothing, whatever a run has read before', async () => {
  const id = await fed(await at.people({ count: 3 }));
  await campaignRows.change(at, id, { status: 'paused' });
  expect((await at.feed(id)).kind).toBe('done');
  expect(await at.counts(id)).toEqual({ pending: 3 });
});

test('whose channel was taken from the campaign, or whose zone it does not know, is placed again', async () => {
  const [before, elsewhere] = (await at.people({ count: 2 })) as [string, string];
  const id = await fed([]);
  await at.recipients(id, (await at.connected()).id, [before]);
  await at.recipients(id, channel.id, [elsewhere], { zone: 'Asia/Tokyo' });
  await at.feed(id);
  await at.feed(id);
  expect((await at.messagesOf(id)).map(({ channel_id }) => channel_id)).toEqual([channel.id, channel.id]);
});

test('after the commit of a pause no message is made, also by a run that is under way', async () => {
  channel = await at.connected({ rate: 1_000 });
  const id = await fed(await at.people({ count: 700 }));
  const running = at.feed(id);
  await waitFor('the first messages', async () => (await at.messagesOf(id)).length > 0);
  await at.house.ledger.transact({ locks: [campaignLane(id)] }, (tx) => pauseCampaign(tx.of(at.organization), id));
  const then = (await at.messagesOf(id)).length;
  await running;
  expect(then).toBeLessThan(700);
  expect((await at.messagesOf(id)).length).toBe(then);
  expect(await at.statusOf(id)).toMatchObject({ status: 'paused' });
});

test('two runs at once write to each person once', async () => {
  channel = await at.connected({ rate: 1_000 });
  const id = await fed(await at.people({ count: 150 }));
  await Promise.all([at.feed(id), at.feed(id)]);
  const messages = await messageRows.all(at, { campaign_id: id }, ['contact_id']);
  expect(messages).toHaveLength(150);
  expect(new Set(messages.map(({ contact_id }) => contact_id)).size).toBe(150);
});

test('a conversation that somebody else begins at the same time is the one', async () => {
  const all = await at.people({ count: 40 });
  const id = await fed(all);
  await Promise.all([at.feed(id), ...all.slice(0, 20).map((contactId) => conversationOf(contactId).catch(() => undefined))]);
  await at.feed(id);
  expect(await at.counts(id)).toEqual({ queued: 40 });
});

test.each([
  ['the zone of the organization', false, '31 December'],
  ['the zone of the recipient where it is sent in local time', true, '30 December'],
])('a time in a text is shown in %s', async (_, is_local, expected) => {
  await organizationRows.change(at, at.organization, { timezone: 'Asia/Jakarta' });
  const [who] = await at.people({ count: 1, customFields: { until: '2026-12-30T17:30:00Z' } });
  const text = '{{ contact.custom_fields.until | date: "%d %B" }}';
  const components = [{ type: 'body', parameters: [{ type: 'text', text }] }];
  const id = await at.campaign({
    channels: [channel.id],
    schedule: { is_local, ...(is_local && { start_at: '2026-01-01T09:00:00' }) },
    variants: [{ id: 'a', weight: 1, templates: [{ name: 'offer', language: 'en_US', components }] }],
  });
  await at.recipients(id, channel.id, [who!], { zone: 'UTC' });
  await at.startFeed(id);
  await at.feed(id);
  const [message] = await messageRows.all(at, { campaign_id: id }, ['content']);
  expect(message!.content).toMatchObject({ components: [{ parameters: [{ text: expected }] }] });
  await organizationRows.change(at, at.organization, { timezone: 'UTC' });
});
