import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type CampaignHouse, openCampaignHouse } from '../../support/campaigns.ts';
import { countRoundTrips } from '../../support/round-trips.ts';

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

test('twenty slow channels take one round trip more each than a fast one: the fill of their pool', async () => {
  const roundTrips = countRoundTrips(at.house.database.pool);
  const [fast, slow] = [await connected([80]), await connected(Array.from({ length: 20 }, () => 4))];
  const one = await fed(fast, 100);
  const twenty = await fed(slow, 10);
  const few = await roundTrips.during(() => at.feed(one));
  const many = await roundTrips.during(() => at.feed(twenty));
  expect(await madeOn(one, fast)).toEqual([80]);
  expect(await madeOn(twenty, slow)).toEqual(slow.map(() => 4));
  expect(many - few).toBeLessThanOrEqual(slow.length);
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
  await at.sql(`insert into channel_health (organization_id, channel_id, messaging_limit) values ($1, $2, 'TIER_50')`, [
    at.organization,
    own[0]!.id,
  ]);
  const id = await fed([...own, other!], 40);
  await at.feed(id);
  const [one, two, free] = await madeOn(id, [...own, other!]);
  expect(one! + two!).toBe(50);
  expect(free).toBe(40);
});

test('many who are skipped, before others: they hold up neither a full channel nor an open one', async () => {
  const channels = await connected([4, 40]);
  const id = await fed(channels, 120, { consent: null });
  await at.sql(`update campaign_recipients set due_at = due_at - interval '1 min' where campaign_id = $1`, [id]);
  for (const { id: channelId } of channels) await at.recipients(id, channelId, await at.people({ count: 50 }));
  await at.feed(id);
  expect(await at.counts(id)).toEqual({ 'skipped: consent_required': 240, queued: 44, pending: 56 });
});

test('messages of several channels are made in one transaction, or none of them', async () => {
  const channels = await connected([4, 4, 4]);
  const id = await fed(channels, 2);
  const [first] = await at.sql<{ contact_id: string }>(
    'select contact_id from campaign_recipients where campaign_id = $1 and channel_id = $2 limit 1',
    [id, channels[0]!.id],
  );
  // It begins after the look of the run: the batch is looked at again as a whole.
  const begun = at.sql(
    `insert into conversations (organization_id, id, channel_id, contact_id, status) values ($1, uuidv7(), $2, $3, 'open') on conflict do nothing`,
    [at.organization, channels[0]!.id, first!.contact_id],
  );
  await Promise.all([at.feed(id), at.feed(id), begun]);
  expect(await madeOn(id, channels)).toEqual([2, 2, 2]);
  const rows = await at.sql(
    `select count(distinct queued_at)::int as moments, count(distinct (m.channel_id, j.pool))::int as pools
       from campaign_recipients r join messages m on m.id = r.message_id join jobs j on j.subject_id = m.id
      where r.campaign_id = $1 and j.pool = 'channel:' || m.channel_id`,
    [id],
  );
  expect(rows).toEqual([{ moments: expect.any(Number), pools: 3 }]);
});
