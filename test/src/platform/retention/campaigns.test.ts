import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Campaign, CampaignChannel } from '../../../../src/campaigns/campaign.entity.ts';
import { countsOf } from '../../../../src/campaigns/counts.ts';
import { CampaignRecipient } from '../../../../src/campaigns/recipient.entity.ts';
import { statsOf } from '../../../../src/campaigns/stats.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { purges } from '../../../../src/platform/retention/purges.ts';
import { runPurge } from '../../../../src/platform/retention/run.ts';
import { peopleOf } from '../../../support/campaign-people.ts';
import { channel } from '../../../support/factories/channel.ts';
import { type House, openHouse } from '../../../support/house.ts';
import { dayMs, inMs } from '../../../support/rules/clock.ts';
import { storeRow, storeRows, times } from '../../../support/rules/rows.ts';

let house: House;
let channelId: string;
beforeAll(async () => {
  house = await openHouse();
  channelId = (await channel(house.em(), house.organizationId)).id;
});
afterAll(() => house.close());

async function ended(daysAgo: number | null, count: number): Promise<string> {
  const id = await peopleOf(house).running({ status: 'completed' });
  const ended_at = daysAgo === null ? null : inMs(-daysAgo * dayMs);
  await house.em().nativeUpdate(Campaign, { id }, { ended_at });
  const recipients = times(count, (number) => ({
    campaign_id: id,
    channel_id: channelId,
    status: number % 2 === 0 ? ('read' as const) : ('failed' as const),
  }));
  if (count > 0) await storeRows(house.em(), house.organizationId, CampaignRecipient, recipients);
  return id;
}
const purge = (config = {}) =>
  runPurge(purges.find(({ table }) => table === 'campaigns')!, {
    config: { ...house.deps.config, ...config },
    database: house.database,
    isStopping: () => false,
    batch: 2,
    pauseMs: 0,
  });
/** How many recipients each campaign has. */
const left = async () => {
  const counts = new Map<string, number>();
  for (const { campaign_id: id } of await house.em().find(CampaignRecipient, {})) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
};
const own = () => ownRows(house.database, house.organizationId);

test('recipients go 400 days after the end, in batches; what was counted stays', async () => {
  const old = [await ended(401, 5), await ended(500, 2), await ended(900, 0)];
  const young = await ended(399, 3);
  const lives = await ended(null, 3);
  const before = { counts: (await countsOf(own(), { id: old[0]! })).counts, stats: await statsOf(own(), old[0]!) };
  expect((await purge()).deleted).toEqual({ campaigns: 0, campaign_recipients: 7 });
  const remaining = await left();
  expect(remaining.get(young)).toBe(3);
  expect(remaining.get(lives)).toBe(3);
  expect(remaining.size).toBe(2);
  expect((await countsOf(own(), { id: old[0]! })).counts).toEqual(before.counts);
  expect({ ...(await statsOf(own(), old[0]!)), as_of: '' }).toEqual({ ...before.stats, as_of: '' });
  expect(before.counts).toMatchObject({ total: 5, read: 2, failed: 3 });
  expect((await purge()).deleted).toEqual({ campaigns: 0, campaign_recipients: 0 });
  expect((await purge({ retentionCampaignRecipientsDays: 300 })).deleted).toEqual({ campaigns: 0, campaign_recipients: 3 });
});

test('a purge that was cut off goes on, and shows what was counted before it began', async () => {
  const id = await ended(401, 5);
  const step = purges.find(({ table }) => table === 'campaigns')!.steps[0]!;
  await step.batch(house.em(), 400, 2);
  expect((await countsOf(own(), { id })).counts.total).toBe(5);
  expect((await purge()).deleted).toMatchObject({ campaign_recipients: 3 });
  expect((await countsOf(own(), { id })).counts.total).toBe(5);
});

test('a deleted campaign goes with its recipients and channels, once nobody withdraws its messages', async () => {
  const [id, waits] = [await ended(1, 5), await ended(1, 1)];
  await storeRow(house.em(), house.organizationId, CampaignChannel, { campaign_id: id, channel_id: channelId, position: 0 });
  await house.em().nativeUpdate(Campaign, { id }, { deleted_at: inMs(0), withdrawing: false });
  await house.em().nativeUpdate(Campaign, { id: waits }, { deleted_at: inMs(0), withdrawing: true });
  expect((await purge()).deleted).toEqual({ campaigns: 1, campaign_recipients: 5 });
  const deleted = await house.em().find(Campaign, { deleted_at: { $ne: null } });
  expect(deleted.map((campaign) => campaign.id)).toEqual([waits]);
  await house.em().nativeUpdate(Campaign, {}, { withdrawing: false });
  expect((await purge()).deleted).toEqual({ campaigns: 1, campaign_recipients: 1 });
});
