import type { JobError } from '../../src/platform/ledger/jobs.entity.ts';
import type { Claim } from './claim-message.ts';

const paused: JobError = {
  code: 'campaign_paused',
  message:
    'The campaign was paused before the message was tried again: its recipient is written to after the resume, with another one',
};

/**
 * A later try of a message whose campaign is paused. What was made at the pause goes out; what the provider did not take by then, perhaps for
 * minutes, does not come after it. The first try of one that somebody retries by hand goes out, and so does one that may have arrived.
 */
export const heldByPause = ({ campaign, resends }: Claim, attempts: number): JobError | undefined =>
  campaign?.status === 'paused' && attempts > 0 && resends === 0 ? paused : undefined;
