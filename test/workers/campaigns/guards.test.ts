import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { campaignLane } from '../../../src/campaigns/jobs.ts';
import { pauseCampaign, resumeCampaign } from '../../../src/campaigns/pause.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { type CampaignHouse, openCampaignHouse } from '../../support/campaigns.ts';
import type { ChannelMade } from '../../support/factories/channel.ts';
import { campaignRows, recipientRows } from '../../support/work/campaigns.ts';
import { channelRows, templateRows } from '../../support/work/channels.ts';
import { eventRows } from '../../support/work/events.ts';
import { rightNow } from '../../support/work/rows.ts';

let at: CampaignHouse;
let channel: ChannelMade;
let id: string;
beforeAll(async () => {
  at = await openCampaignHouse();
});
beforeEach(async () => {
  channel = await at.connected();
  id = await at.campaign({ channels: [channel.id] });
  await at.recipients(id, channel.id, await at.people({ count: 3 }));
  await at.startFeed(id);
});
afterAll(() => at.close());

test.each([
  [
    'a template that is paused',
    'template_paused',
    () => templateRows.change(at, { channel_id: channel.id }, { status: 'paused' }),
  ],
  ['a template that is gone', 'template_unknown', () => templateRows.remove(at, { channel_id: channel.id })],
  [
    'a template with other parameters',
    'template_unknown',
    () => templateRows.change(at, { channel_id: channel.id }, { components: [{ type: 'BODY', text: 'Hello {{1}} {{2}}' }] }),
  ],
  ['a channel that is restricted', 'channel_stopped', () => channelRows.change(at, channel.id, { status: 'restricted' })],
  ['a channel that was deleted', 'channel_stopped', () => channelRows.change(at, channel.id, { deleted_at: rightNow() })],
  ['the alarm of a message', 'spam_limit', () => campaignRows.change(at, id, { alarm: 'spam_limit' })],
])('%s: paused by itself, %s, and nothing is sent', async (_, reason, happen) => {
  await happen();
  expect((await at.feed(id)).kind).toBe('done');
  expect(await at.statusOf(id)).toEqual({ status: 'paused', phase: 'sending', reason });
  expect(await at.counts(id)).toEqual({ pending: 3 });
  const told = await eventRows.all(at, { subject_id: id }, ['type', 'data']);
  expect(told).toEqual([{ type: 'campaign.status_update', data: expect.objectContaining({ status: 'paused', reason }) }]);
  expect(await campaignRows.all(at, id, ['alarm'])).toEqual([{ alarm: null }]);
});

async function results(status: string, count: number, at_ = 'clock_timestamp()') {
  await at.recipients(id, channel.id, await at.people({ count }));
  await at.sql(
    `update campaign_recipients set status = $2, result_at = ${at_} where id in (
       select id from campaign_recipients where campaign_id = $1 and result_at is null order by id desc limit $3)`,
    [id, status, count],
  );
}

test('more than a fifth of the last results failed: paused', async () => {
  await results('sent', 39);
  await results('failed', 11);
  await at.feed(id);
  expect(await at.statusOf(id)).toMatchObject({ status: 'paused', reason: 'too_many_failures' });
});

test.each([
  ['its template is gone', () => templateRows.remove(at, { channel_id: channel.id })],
  ['its channel is restricted', () => channelRows.change(at, channel.id, { status: 'restricted' })],
  ['a message has raised an alarm', () => campaignRows.change(at, id, { alarm: 'spam_limit' })],
])('%s, and nobody is left to be written to: it waits for what is under way, and ends', async (_, happen) => {
  await at.feed(id);
  expect(await at.counts(id)).toEqual({ queued: 3 });
  await happen();
  expect(await at.feed(id)).toMatchObject({ kind: 'wait', delayMs: 1_000 });
  expect(await at.statusOf(id)).toEqual({ status: 'running', phase: 'settling', reason: '' });
  await at.settle(id);
  await at.feed(id);
  expect(await at.statusOf(id)).toMatchObject({ status: 'completed', reason: '' });
});

describe('paused by hand, its template gone and its end past', () => {
  const resume = () =>
    transactFor(at.house.ledger.transact, at.organization)({ locks: [campaignLane(id)] }, (tx) => resumeCampaign(tx, id));
  const pause = () =>
    transactFor(at.house.ledger.transact, at.organization)({ locks: [campaignLane(id)] }, ({ own }) => pauseCampaign(own, id));
  const lose = async () => {
    await pause();
    await templateRows.remove(at, { channel_id: channel.id });
    await campaignRows.change(at, id, {
      prepared: { source: 1, after: null, is_done: true, made: 3 },
      schedule: { end_at: '2026-01-01T00:00:00Z' },
    });
  };

  test('with nobody left to write to it is resumed, and ends', async () => {
    await at.feed(id);
    await lose();
    await resume();
    await at.settle(id);
    await at.feed(id);
    expect(await at.statusOf(id)).toMatchObject({ status: 'completed' });
    expect(await at.counts(id)).toEqual({ sent: 3 });
  });

  test('as long as somebody waits it is not', async () => {
    await lose();
    await expect(resume()).rejects.toMatchObject({ status: 422 });
  });
});

test('nobody is left to be written to: it ends, whatever failed', async () => {
  await results('failed', 60);
  await recipientRows.change(at, { campaign_id: id, status: 'pending' }, { status: 'sent' });
  await at.feed(id);
  expect(await at.statusOf(id)).toMatchObject({ status: 'completed', reason: '' });
});

test.each([
  ['a fifth, and no more', 40, 10],
  ['too few to say', 9, 40],
])('%s: it goes on', async (_, sent, failed) => {
  await results('sent', sent);
  await results('failed', failed);
  await at.feed(id);
  expect(await at.statusOf(id)).toMatchObject({ status: 'running' });
});

test('what failed before it was resumed is no reason any more, and its own limit holds', async () => {
  await results('failed', 60, `clock_timestamp() - interval '1 min'`);
  await campaignRows.change(at, id, { resumed_at: rightNow() });
  await at.feed(id);
  expect(await at.statusOf(id)).toMatchObject({ status: 'running' });
  await results('sent', 56);
  await results('failed', 4);
  await at.recipients(id, channel.id, await at.people({ count: 1 }));
  await campaignRows.change(at, id, { guards: { max_failed_percent: 5 } });
  await at.feed(id);
  expect(await at.statusOf(id)).toMatchObject({ status: 'paused', reason: 'too_many_failures' });
});
