import type { OwnTx } from '../platform/ledger/tx.ts';

/* SQL: tables of campaigns, which stand above messaging. */

/** The message goes out again. False: its campaign has skipped the person, or writes to them with another message. */
export async function followRetry(tx: OwnTx, { id, campaign_id }: { id: string; campaign_id: string | null }): Promise<boolean> {
  if (campaign_id === null) return true;
  const queued = await tx.sql(
    `update campaign_recipients
        set status = 'queued',
            failure_code = '',
            attempts = attempts + 1,
            queued_at = clock_timestamp(),
            sent_at = null,
            failed_at = null,
            result_at = null
      where organization_id = $1
        and message_id = $2
        and status = 'failed'
     returning id`,
    [id],
  );
  return queued.length > 0;
}

export const notRetried = 'The campaign of this message has skipped the person, or has written to them again';
