import { beforeAll, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { campaign } from '../../support/factories/campaign.ts';
import { storedCampaigns, storedRecipients } from '../../support/stored/campaigns.ts';
import { now } from '../../support/stored/times.ts';

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
    await storedRecipients.add(app, {
      organization_id: app.tenant.organizationId,
      campaign_id: campaignID,
      channel_id: channel.id,
      variant_id: 'a',
      status,
      reason,
      sent_at: status === 'read' ? now() : null,
    });
  const { status, body } = await statsOf(campaignID);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    campaign_id: campaignID,
    counts: { total: 2, read: 1, skipped: 1, failed: 0 },
    reached: { sent: 1, delivered: 1, read: 1 },
    skipped: { frequency_cap: 1 },
    variants: [{ variant_id: 'a', counts: { total: 2 }, reached: { sent: 1, delivered: 1, read: 1 } }],
    hours: [{ sent: 1, failed: 0 }],
  });
});

test("another organization's campaign, a deleted one and nobody's: 404", async () => {
  const { key, organizationId } = await app.organization();
  const foreign = await campaign(app.em(), organizationId, { status: 'running' });
  const deleted = await campaign(app.em(), app.tenant.organizationId, { status: 'completed' });
  await storedCampaigns.change(app, deleted.id, { deleted_at: now() });
  for (const id of [foreign.id, deleted.id, uuidv7(), 'no-uuid']) expect((await statsOf(id)).status).toBe(404);
  expect((await statsOf(campaignID, key)).status).toBe(404);
  expect((await statsOf(foreign.id, key)).status).toBe(200);
});
