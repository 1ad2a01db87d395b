import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type CampaignHouse, openCampaignHouse } from '../../support/campaigns.ts';
import { countRoundTrips } from '../../support/round-trips.ts';
import { recipientRows } from '../../support/work/campaigns.ts';
import { channelHealthRows } from '../../support/work/channels.ts';
import { messageRows } from '../../support/work/messages.ts';
import { movedBack } from '../../support/work/rows.ts';

let at: CampaignHouse;
beforeAll(async () => {
  at = await openCampaignHouse();
});
afterAll(() => at.close());

const connected = (rates: number[], given: { accountId?: string } = {}) =>
  Promise.all(rates.map((rate) => at.connected({ rate, ...given })));

/** A running campaign to new people on each of them. */
async function fed(
  channels: { id: string }[],
  count: number,
  given: Parameters<CampaignHouse['campaign']>[0] & { consent?: string | null } = {},
) {
  const { consent = 'granted', ...rest } = given;
  const id = await at.campaign({ channels: channels.map((channel) => channel.id), ...rest });
  for (const channel of channels) await at.recipients(id, channel.id, await at.people({ count, consent }));
  await at.startFeed(id);
  return id;
}

const madeOn = async (id: string, channels: { id: string }[]) => {
  const made = await at.messagesOf(id);
  return channels.map((channel) => made.filter(({ channel_id }) => channel_id === channel.id).length);
};

test('each of twenty slow channels adds hardly more than one round trip, the fill of its pool', async () => {
  const roundTrips = countRoundTrips(at.house.database.pool);
  const [fast, slow] = [await connected([80]), await connected(Array.from({ length: 20 }, () => 4))];
  const one = await fed(fast, 100);
  const twenty = await fed(slow, 10);
  const few = await roundTrips.during(() => at.feed(one));
  const many = await roundTrips.during(() => at.feed(twenty));
  expect(await madeOn(one, fast)).toEqual([80]);
  expect(await madeOn(twenty, slow)).toEqual(slow.map(() => 4));
  // A look or a transaction for each would be 40 or more; a few pools may be looked at twice.
  expect(many - few).toBeLessThan(1.5 * slow.length);
});

test('a fast channel goes on where a slow one is full, and the next run comes when half of a share is gone', async () => {
  const channels = await connected([3, 150, 60]);
  const id = await fed(channels, 130);
  expect(await at.feed(id)).toMatchObject({ kind: 'wait', delayMs: 500 });
  expect(await madeOn(id, channels)).toEqual([3, 130, 60]);
});

test('the pace of the campaign holds over its channels', async () => {
  const channels = await connected(Array.from({ length: 5 }, () => 40));
  const id = await fed(channels, 10, { pace: { per_minute: 600 } });
  await at.feed(id);
  const made = await madeOn(id, channels);
  expect(made.reduce((sum, count) => sum + count, 0)).toBe(10);
});

test('the daily limit of an account holds for its channel that tells none, and not for another account', async () => {
  const own = await connected([40, 40], { accountId: '2124' });
  const [other] = await connected([40]);
  await channelHealthRows.add(at, { organization_id: at.organization, channel_id: own[0]!.id, messaging_limit: 'TIER_50' });
  const id = await fed([...own, other!], 40);
  await at.feed(id);
  const [one, two, free] = await madeOn(id, [...own, other!]);
  expect(one! + two!).toBe(50);
  expect(free).toBe(40);
});

test('many who are skipped, before others: they hold up neither a full channel nor an open one', async () => {
  const channels = await connected([4, 40]);
  const id = await fed(channels, 120, { consent: null });
  await recipientRows.change(at, { campaign_id: id }, { due_at: movedBack('due_at', '1 min') });
  for (const { id: channelId } of channels) await at.recipients(id, channelId, await at.people({ count: 50 }));
  await at.feed(id);
  expect(await at.counts(id)).toEqual({ 'skipped: consent_required': 240, queued: 44, pending: 56 });
});

test.each([
  [
    ['TIER_50', 'TIER_250'],
    [50, 60],
  ],
  // Of the second one's 50 the account has written to 60 already.
  [
    ['TIER_250', 'TIER_50'],
    [60, 0],
  ],
])('channels of one account that tell %j: each keeps to its own, over what all of them sent', async (limits, expected) => {
  const own = await connected([60, 60], { accountId: limits.join() });
  for (const [index, limit] of limits.entries())
    await channelHealthRows.add(at, { organization_id: at.organization, channel_id: own[index]!.id, messaging_limit: limit });
  const id = await fed(own, 60);
  await at.feed(id);
  expect(await madeOn(id, own)).toEqual(expected);
  await messageRows.change(at, { campaign_id: id }, { status: 'sending' });
  await at.feed(id);
  expect(await madeOn(id, own)).toEqual(expected);
});

test('where a run has no time left, each channel still gets its room', async () => {
  const channels = await connected(Array.from({ length: 5 }, () => 80));
  const id = await fed(channels, 90);
  const now = jest.spyOn(performance, 'now').mockImplementation(() => Date.now() * 100);
  await at.feed(id).finally(() => now.mockRestore());
  expect(await madeOn(id, channels)).toEqual(channels.map(() => 80));
});

test('messages of several channels are made in one transaction, in the pools of their channels', async () => {
  const channels = await connected([4, 4, 4]);
  const id = await fed(channels, 2);
  await at.feed(id);
  const rows = await at.sql(
    `select count(distinct m.xmin::text)::int as transactions, count(distinct j.pool)::int as pools,
            bool_and(j.pool = 'channel:' || m.channel_id and v.channel_id = m.channel_id) as fits
       from messages m join jobs j on j.subject_id = m.id join conversations v on v.id = m.conversation_id
      where m.campaign_id = $1`,
    [id],
  );
  expect(rows).toEqual([{ transactions: 1, pools: 3, fits: true }]);
  expect(await madeOn(id, channels)).toEqual([2, 2, 2]);
});

test('two runs at once over several channels write to each person once', async () => {
  const channels = await connected([40, 40, 40]);
  const id = await fed(channels, 30);
  await Promise.all([at.feed(id), at.feed(id)]);
  const messages = await messageRows.all(at, { campaign_id: id }, ['contact_id']);
  expect(messages).toHaveLength(90);
  expect(new Set(messages.map(({ contact_id }) => contact_id)).size).toBe(90);
});
