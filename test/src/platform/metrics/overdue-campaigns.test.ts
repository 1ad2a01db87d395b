import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { Campaign } from '../../../../src/campaigns/campaign.entity.ts';
import { campaignLane, feedCampaignJob } from '../../../../src/campaigns/jobs.ts';
import { CampaignRecipient } from '../../../../src/campaigns/recipient.entity.ts';
import { campaignStatuses } from '../../../../src/campaigns/states.ts';
import { Channel } from '../../../../src/channels/channel.entity.ts';
import { createMetrics } from '../../../../src/platform/metrics/metrics.ts';
import { type CampaignHouse, openCampaignHouse } from '../../../support/campaigns.ts';
import { campaign } from '../../../support/factories/campaign.ts';
import { readExposition } from '../../../support/prometheus.ts';
import { setCampaign, setRecipients } from '../../../support/rules/campaigns.ts';
import { hourMs, inMs, minuteMs } from '../../../support/rules/clock.ts';
import { deleteJobs, setJobs } from '../../../support/rules/ledger-jobs.ts';

let at: CampaignHouse;
let channelId: string;
beforeAll(async () => {
  at = await openCampaignHouse();
  channelId = (await at.connected()).id;
});
beforeEach(() => at.house.em().nativeUpdate(Campaign, {}, { status: 'completed', phase: null }));
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
  await setCampaign(at.house.em(), id, { started_at: inMs(-hourMs) });
  await due(id, dueMinutes);
  return id;
}
const due = (id: string, minutes: number) =>
  setRecipients(at.house.em(), { campaign_id: id }, { due_at: inMs(-minutes * minuteMs) });

test('campaigns are counted by status', async () => {
  for (const status of campaignStatuses) await campaign(at.house.em(), at.organization, { status });
  await at.house.em().nativeUpdate(Campaign, { status: 'draft' }, { deleted_at: inMs(0) });
  const metrics = await page();
  for (const status of campaignStatuses.filter((one) => one !== 'completed'))
    expect([status, metrics.value('kanal_campaigns', { status })]).toEqual([status, status === 'draft' ? 0 : 1]);
});

test('one that stands still is overdue since its first person is due, or since it moved last', async () => {
  expect(await overdueMinutes()).toBe(0);
  const id = await still(30);
  await still(10);
  expect(await overdueMinutes()).toBe(30);
  await setCampaign(at.house.em(), id, { resumed_at: inMs(-20 * minuteMs) });
  expect(await overdueMinutes()).toBe(20);
  const [reached] = await at.people({ count: 1 });
  await at.recipients(id, channelId, [reached!]);
  await setRecipients(at.house.em(), { contact_id: reached! }, { status: 'sent', result_at: inMs(-15 * minuteMs) });
  expect(await overdueMinutes()).toBe(15);
});

test('one with nobody due, with messages under way, or that does not run is not', async () => {
  const later = await still(-5);
  expect(await overdueMinutes()).toBe(0);
  await due(later, 30);
  expect(await overdueMinutes()).toBe(30);
  await setCampaign(at.house.em(), later, { status: 'paused' });
  expect(await overdueMinutes()).toBe(0);
  const sending = await still(30);
  await at.recipients(sending, channelId, await at.people({ count: 1 }));
  expect(await overdueMinutes()).toBe(30);
  const underWay = await at.house.em().findOneOrFail(CampaignRecipient, { campaign_id: sending });
  await setRecipients(at.house.em(), { id: underWay.id }, { status: 'queued' });
  expect(await overdueMinutes()).toBe(0);
});

test('one whose feed waits for its time is not, nor one whose channel is stopped', async () => {
  const id = await still(30);
  await at.startFeed(id);
  expect(await overdueMinutes()).toBe(30);
  await setJobs(at.house.em(), { run_at: inMs(8 * hourMs) }, { lane: campaignLane(id), name: feedCampaignJob.name });
  expect(await overdueMinutes()).toBe(0);
  await deleteJobs(at.house.em(), { lane: campaignLane(id) });
  expect(await overdueMinutes()).toBe(30);
  await at.house.em().nativeUpdate(Channel, { id: channelId }, { status: 'restricted' });
  expect(await overdueMinutes()).toBe(0);
  await at.house.em().nativeUpdate(Channel, { id: channelId }, { status: 'connected' });
});
