import type { Own } from '../../platform/database/own.ts';

/** SQL: a look at one row. */
const anybodyStatement = `
  select 1
    from campaign_recipients
   where organization_id = $1
     and campaign_id = $2
   limit 1`;

export const hasRecipients = async (own: Pick<Own, 'sql'>, campaignId: string): Promise<boolean> =>
  (await own.sql(anybodyStatement, [campaignId])).length > 0;
