import { beforeAll, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { campaign } from '../../support/factories/campaign.ts';

const app = useApp({});
let channel: Channel;
let campaignID: string;
const statsOf = (id: string, key?: string) => app.call('campaigns.stats', { ...(key && { key }), params: { campaignID: id } });

beforeAll(async () => {
  channel = await app.connect();
  campaignID = (await campaign(app.em(), app.tenant.organizationId, { status: 'running' })).id;
});

test('statistics of a campaign', async () => {
  for (const [status, reason] of [
    ['read', ''],
    ['skipped', 'frequency_cap'],
  ])
    await app.rows(
      `insert into campaign_recipients (id, organization_id, campaign_id, channel_id, variant_id, status, reason, sent_at)
       values ($1, $2, $3, $4, 'a', $5, $6, case when $5 = 'read' then clock_timestamp() end)`,
      [uuidv7(), app.tenant.organizationId, campaignID, channel.id, status, reason],
    );
  const { status, body } = await statsOf(campaignID);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    campaign_id: campaignID,
    counts: { total: 2, read: 1, skipped: 1, failed: 0 },
    skipped: { frequency_cap: 1 },
    variants: [{ variant_id: 'a', counts: { total: 2 } }],
    hours: [{ sent: 1, failed: 0 }],
  });
});

test("another organization's campaign, a deleted one and nobody's: 404", async () => {
  const { key, organizationId } = await app.organization();
  const foreign = await campaign(app.em(), organizationId, { status: 'running' });
  const deleted = await campaign(app.em(), app.tenant.organizationId, { status: 'completed' });
  await app.rows('update campaigns set deleted_at = clock_timestamp() where id = $1', [deleted.id]);
  for (const id of [foreign.id, deleted.id, uuidv7(), 'no-uuid']) expect((await statsOf(id)).status).toBe(404);
  expect((await statsOf(campaignID, key)).status).toBe(404);
  expect((await statsOf(foreign.id, key)).status).toBe(200);
});
