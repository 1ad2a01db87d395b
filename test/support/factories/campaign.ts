import type { Purpose } from '../../../src/campaigns/campaign.entity.ts';
import type { CampaignPhase, CampaignStatus } from '../../../src/campaigns/states.ts';
import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';

type Given = { channelIds?: string[]; status?: CampaignStatus; phase?: CampaignPhase; purpose?: Purpose; schedule?: object };

/** A campaign with one variant, as a row: nothing works on it. */
export async function campaign(em: Em, organizationId: string, given: Given = {}): Promise<{ id: string }> {
  const id = uuidv7();
  const { channelIds = [], status = 'draft', phase = null, purpose = 'marketing', schedule = {} } = given;
  const variants = [{ id: 'a', weight: 1, templates: [{ name: 'hello', language: 'en_US', components: [] }] }];
  await query(
    em,
    `insert into campaigns (organization_id, id, name, status, phase, purpose, variants, schedule)
     values ($1, $2, 'Spring', $3, $4, $5, $6, $7)`,
    [organizationId, id, status, phase, purpose, JSON.stringify(variants), JSON.stringify(schedule)],
  );
  for (const [position, channelId] of channelIds.entries())
    await query(
      em,
      'insert into campaign_channels (organization_id, campaign_id, channel_id, position) values ($1, $2, $3, $4)',
      [organizationId, id, channelId, position],
    );
  return { id };
}
