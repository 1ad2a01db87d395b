import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { countsOf } from '../../../../src/campaigns/counts.ts';
import { statsOf } from '../../../../src/campaigns/stats.ts';
import { ownRows } from '../../../../src/platform/database/own.ts';
import { purges } from '../../../../src/platform/retention/purges.ts';
import { runPurge } from '../../../../src/platform/retention/run.ts';
import { peopleOf } from '../../../support/campaign-people.ts';
import { channel } from '../../../support/factories/channel.ts';
import { type House, openHouse } from '../../../support/house.ts';

let house: House;
let channelId: string;
beforeAll(async () => {
  house = await openHouse();
  channelId = (await channel(house.em(), house.organizationId)).id;
});
afterAll(() => house.close());

async function ended(daysAgo: number | null, count: number): Promise<string> {
  const id = await peopleOf(house).running({ status: 'completed' });
  await house.sql(`update campaigns set ended_at = clock_timestamp() - $2::int * interval '1 day' where id = $1`, [id, daysAgo]);
  await house.sql(
    `insert into campaign_recipients (id, organization_id, campaign_id, channel_id, status)
     select uuidv7(), $1, $2, $3, case when n % 2 = 0 then 'read' else 'failed' end from generate_series(1, $4::int) n`,
    [house.organizationId, id, channelId, count],
  );
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
const left = async () =>
  (
    await house.sql<{ id: string; n: number }>(
      'select campaign_id as id, count(*)::int as n from campaign_recipients group by 1 order by 1',
    )
  ).map(({ id, n }) => [id, n]);
const own = () => ownRows(house.database, house.organizationId);

test('recipients go 400 days after the end, in batches; what was counted stays', async () => {
  const old = [await ended(401, 5), await ended(500, 2), await ended(900, 0)];
  const young = await ended(399, 3);
  const lives = await ended(null, 3);
  const before = { counts: (await countsOf(own(), { id: old[0]! })).counts, stats: await statsOf(own(), old[0]!) };
  expect((await purge()).deleted).toEqual({ campaigns: 0, campaign_recipients: 7 });
  expect(await left()).toEqual([
    [young, 3],
    [lives, 3],
  ]);
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
  await house.sql('insert into campaign_channels values ($1, $2, $3, 0)', [house.organizationId, id, channelId]);
  await house.sql('update campaigns set deleted_at = clock_timestamp(), withdrawing = id = $2 where id in ($1, $2)', [id, waits]);
  expect((await purge()).deleted).toEqual({ campaigns: 1, campaign_recipients: 5 });
  expect(await house.sql('select id from campaigns where deleted_at is not null')).toEqual([{ id: waits }]);
  await house.sql('update campaigns set withdrawing = false');
  expect((await purge()).deleted).toEqual({ campaigns: 1, campaign_recipients: 1 });
});
