import type { OwnTx } from '../../platform/ledger/tx.ts';

/**
 * The rows stay for the campaigns' counts, without what a file said of the person. A message that waits is refused at its claim, and its
 * recipient follows.
 * SQL: the table of campaigns, which stand above contacts.
 */
const blankRecipients = `
  update campaign_recipients
     set parameters = '{}',
         reason = case status when 'pending' then 'contact_deleted' else reason end,
         status = case status when 'pending' then 'skipped' else status end
   where organization_id = $1
     and contact_id = $2`;

export const leaveCampaigns = (tx: OwnTx, contactId: string) => tx.sql(blankRecipients, [contactId]);
