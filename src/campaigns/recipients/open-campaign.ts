import type { Own } from '../../platform/database/own.ts';
import { AppError } from '../../platform/errors.ts';
import { type CampaignRow, getCampaign } from '../campaign-row.ts';
import { hasEnded } from '../states.ts';

/** One that takes recipients. Throws 404; 409 once it has ended, and before it has a channel. */
export async function openCampaign(own: Own, id: string): Promise<CampaignRow> {
  const campaign = await getCampaign(own, id);
  const { status } = campaign;
  if (hasEnded(status))
    throw new AppError('conflict', `The campaign is ${status}: it takes no more recipients`, {
      details: [{ field: 'campaignID', location: 'path', code: 'campaign.status', message: `It is ${status}`, value: status }],
    });
  if (campaign.channel_ids.length === 0) throw new AppError('conflict', 'The campaign has no channels yet: give it one first');
  return campaign;
}
