import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { campaignLane, feedCampaignJob } from '../../../../src/campaigns/jobs.ts';
import { campaignStatuses } from '../../../../src/campaigns/states.ts';
import { createMetrics } from '../../../../src/platform/metrics/metrics.ts';
import { type CampaignHouse, openCampaignHouse } from '../../../support/campaigns.ts';
import { campaign } from '../../../support/factories/campaign.ts';
import { readExposition } from '../../../support/prometheus.ts';

let at: CampaignHouse;
let channelId: string;
beforeAll(async () => {
  at = await openCampaignHouse();
  channelId = (await at.connected()).id;
});
beforeEach(() => at.sql(`update campaigns set status = 'completed', phase = null`));
afterAll(() => at.close());

async function page() {
  const queues = { ...at.house.queues, backend: { name: 'redis' } as never };
  const metrics = createMetrics({ process: 'worker', database: at.house.database, queues, isServed: false });
  return readExposition(await metrics.scrape());
}
const overdueMinutes = async () => Math.floor((await page()).value('kanal_campaigns_oldest_overdue_seconds')! / 60);

/** It has run for an hour, with one person who has been due for so many minutes. Nobody feeds it. */
async function still(dueMinutes: number): Promise<string> {
  const id = await at.campaign({ channels: [channelId] });
  await at.recipients(id, channelId, await at.people({ count: 1 }));
  await at.sql(`update campaigns set started_at = clock_timestamp() - interval '1 hour' where id = $1`, [id]);
  await due(id, dueMinutes);
  return id;
}
const due = (id: string, minutes: number) =>
  at.sql(`update campaign_recipients set due_at = clock_timestamp() - $2 * interval '1 min' where campaign_id = $1`, [
    id,
    minutes,
  ]);
const change = (id: string, set: string) => at.sql(`update campaigns set ${set} where id = $1`, [id]);

test('campaigns are counted by status', async () => {
  for (const status of campaignStatuses) await campaign(at.house.em(), at.organization, { status });
  await at.sql(`update campaigns set deleted_at = now() where status = 'draft'`);
  const metrics = await page();
  for (const status of campaignStatuses.filter((one) => one !== 'completed'))
    expect([status, metrics.value('kanal_campaigns', { status })]).toEqual([status, status === 'draft' ? 0 : 1]);
});

test('one that stands still is overdue since its first person is due, or since it moved last', async () => {
  expect(await overdueMinutes()).toBe(0);
  const id = await still(30);
  await still(10);
  expect(await overdueMinutes()).toBe(30);
  await change(id, `resumed_at = clock_timestamp() - interval '20 min'`);
  expect(await overdueMinutes()).toBe(20);
  const [reached] = await at.people({ count: 1 });
  await at.recipients(id, channelId, [reached!]);
  await at.sql(
    `update campaign_recipients set status = 'sent', result_at = clock_timestamp() - interval '15 min' where contact_id = $1`,
    [reached],
  );
  expect(await overdueMinutes()).toBe(15);
});

test('one with nobody due, with messages under way, or that does not run is not', async () => {
  const later = await still(-5);
  expect(await overdueMinutes()).toBe(0);
  await due(later, 30);
  expect(await overdueMinutes()).toBe(30);
  await change(later, `status = 'paused'`);
  expect(await overdueMinutes()).toBe(0);
  const sending = await still(30);
  await at.recipients(sending, channelId, await at.people({ count: 1 }));
  expect(await overdueMinutes()).toBe(30);
  await at.sql(
    `update campaign_recipients set status = 'queued' where id = (select id from campaign_recipients where campaign_id = $1 limit 1)`,
    [sending],
  );
  expect(await overdueMinutes()).toBe(0);
});

test('one whose feed waits for its time is not, nor one whose channel is stopped', async () => {
  const id = await still(30);
  await at.startFeed(id);
  expect(await overdueMinutes()).toBe(30);
  await at.sql(`update jobs set run_at = clock_timestamp() + interval '8 hours' where lane = $1 and name = $2`, [
    campaignLane(id),
    feedCampaignJob.name,
  ]);
  expect(await overdueMinutes()).toBe(0);
  await at.sql('delete from jobs where lane = $1', [campaignLane(id)]);
  expect(await overdueMinutes()).toBe(30);
  await at.sql(`update channels set status = 'restricted' where id = $1`, [channelId]);
  expect(await overdueMinutes()).toBe(0);
  await at.sql(`update channels set status = 'connected' where id = $1`, [channelId]);
});
