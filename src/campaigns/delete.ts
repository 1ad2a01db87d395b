import { now } from '../platform/database/columns.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { Campaign } from './campaign.entity.ts';
import { getCampaign } from './campaign-row.ts';
import { freeSegments } from './campaign-segments.ts';
import { assertAllowed } from './campaign-tx.ts';
import { campaignLane } from './jobs.ts';

/** Its recipients may be millions: the purge deletes them, then the campaign. Needs the campaign's lock. Throws 404, 409. */
export async function deleteCampaign(own: OwnTx, id: string): Promise<void> {
  own.assertLocked(campaignLane(id));
  assertAllowed('delete', await getCampaign(own, id));
  await freeSegments(own, id);
  await own.update(Campaign, { id }, { deleted_at: now(), updated_at: now() });
}
