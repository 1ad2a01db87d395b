import { Campaign, CampaignChannel } from '../../../src/campaigns/campaign.entity.ts';
import { CampaignRecipient } from '../../../src/campaigns/recipient.entity.ts';
import { rowsOf } from './rows.ts';

export const campaignRows = rowsOf(Campaign);
export const campaignChannelRows = rowsOf(CampaignChannel);
export const recipientRows = rowsOf(CampaignRecipient);
