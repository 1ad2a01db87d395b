import type { Own } from '../../src/platform/database/own.ts';
import type { JobError } from '../../src/platform/ledger/jobs.entity.ts';
import type { Claim } from './claim-message.ts';

const paused: JobError = {
  code: 'campaign_paused',
  message:
    'The campaign was paused before the message was tried again: its recipient is written to after the resume, with another one',
};

/** SQL: the last of a message, by its key. A try that was too early spends no attempt of the run: this tells of each that reached the provider. */
const lastTryStatement = `
  select outcome = 'failed' and retried_at is null as is_in_vain
    from message_attempts
   where organization_id = $1
     and message_id = $2
   order by number desc
   limit 1`;

/**
 * A later try of a message whose campaign is paused. What was made at the pause goes out; what the provider did not take by then, perhaps for
 * minutes, does not come after it. The first try of one that somebody retries by hand goes out, and so does one that may have arrived.
 */
export async function heldByPause(own: Own, { campaign, message_id, resends }: Claim): Promise<JobError | undefined> {
  if (campaign?.status !== 'paused' || resends > 0) return undefined;
  const [last] = await own.sql<{ is_in_vain: boolean }>(lastTryStatement, [message_id]);
  return last?.is_in_vain ? paused : undefined;
}
