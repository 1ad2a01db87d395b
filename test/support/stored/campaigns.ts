import { Campaign } from '../../../src/campaigns/campaign.entity.ts';
import { CampaignRecipient } from '../../../src/campaigns/recipient.entity.ts';
import { storedRows } from './rows.ts';

export const storedCampaigns = storedRows(Campaign);
export const storedRecipients = storedRows(CampaignRecipient);
