import Joi from 'joi';
import { uuid } from '../platform/ids.ts';
import { backoff, type JobContract, job } from '../platform/ledger/job.ts';
import { sharedPool } from '../platform/ledger/pools.ts';
import { leftAlone } from './left-alone.ts';

export type CampaignPayload = { campaign_id: string };

/** The campaign's lock, and the lane of its jobs: what pause has answered holds for the feed. */
export const campaignLane = (campaignId: string) => `campaign:${campaignId}`;

/** Audiences of all organizations that are made at once: they are long statements. */
export const preparePool = sharedPool('campaign-prepare');
export const preparePoolWidth = 2;

const campaignJob = (
  rest: Pick<JobContract<CampaignPayload>, 'name' | 'queue' | 'operation'> & Partial<JobContract<CampaignPayload>>,
): JobContract<CampaignPayload> =>
  job<CampaignPayload>({
    payload: Joi.object({ campaign_id: uuid }),
    subjectType: 'campaign',
    subject: 'campaign_id',
    delayMs: backoff(8),
    failed: async () => {},
    revived: async () => {},
    // Any step may run again.
    survivesCrashes: async () => true,
    ...rest,
  });

/**
 * Waits for the time of a scheduled campaign.
 * SQL: each `openSubjects` is a part of the statement of `jobs check`.
 */
export const startCampaignJob = campaignJob({
  name: 'campaigns.start',
  queue: 'default',
  operation: false,
  openSubjects: `
    select organization_id, id
      from campaigns
     where status = 'scheduled'`,
  mayOutliveSubject: true,
});

export const prepareCampaignJob = campaignJob({
  name: 'campaigns.prepare',
  queue: 'default',
  operation: true,
  openSubjects: `
    select organization_id, id
      from campaigns
     where status = 'running'
       and phase = 'preparing'`,
  mayOutliveSubject: true,
});

/** One row for the life of a running campaign. */
export const feedCampaignJob = campaignJob({
  name: 'campaigns.feed',
  queue: 'bulk-messages',
  operation: false,
  openSubjects: `
    select organization_id, id
      from campaigns
     where status = 'running'
       and phase in ('sending', 'settling')`,
  mayOutliveSubject: true,
  leftAlone,
});

/** Ends the messages of a cancelled or failed campaign that nobody has claimed, and marks its recipients. */
export const withdrawCampaignJob = campaignJob({
  name: 'campaigns.withdraw',
  queue: 'default',
  operation: false,
  openSubjects: `
    select organization_id, id
      from campaigns
     where withdrawing`,
  mayOutliveSubject: true,
});

/** `before`: only what had failed when it was asked for, so that what fails again is left. `force`: `true` or `false`. */
export type RetryPayload = CampaignPayload & { before: string; force: string };

/** Those that were not reached wait to be written to again. Without a lane: the feed may stand in it for days. */
export const retryFailedJob = job<RetryPayload>({
  name: 'campaigns.retry-failed',
  queue: 'default',
  payload: Joi.object({
    campaign_id: uuid,
    before: Joi.string().isoDate().required(),
    force: Joi.string().valid('true', 'false').required(),
  }),
  subjectType: 'campaign',
  subject: 'campaign_id',
  delayMs: backoff(8),
  operation: true,
  failed: async () => {},
  revived: async () => {},
  calledOff: async () => {},
  survivesCrashes: async () => true,
});
