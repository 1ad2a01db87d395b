import Joi from 'joi';
import { type Counts, reachedFrom } from '../../src/campaigns/counts.ts';
import { recipientStatuses } from '../../src/campaigns/states.ts';
import { statsOf } from '../../src/campaigns/stats.ts';
import { exampleIdOf, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

const number = Joi.number().integer().required();
const countNames = ['total', ...recipientStatuses] as const;
const counts = Joi.object(Object.fromEntries(countNames.map((name) => [name, number])))
  .required()
  .description('Recipients by status. A recipient is in one of them');
const reached = Joi.object({ sent: number, delivered: number, read: number })
  .required()
  .description(
    'Cumulative counts, for a funnel: `sent` includes delivered and read recipients, `delivered` includes those who read',
  );
const exampleCounts = { total: 100, pending: 0, queued: 0, sent: 4, delivered: 30, read: 60, failed: 1, skipped: 5 };
const exampleReached = { sent: 94, delivered: 90, read: 60 };

const answers = {
  replied: number.description('Recipients who wrote within 72 hours'),
  clicked: number.description('Recipients who tapped a button of the message'),
  opted_out: number.description('Recipients who opted out within 72 hours, and got no later campaign'),
};
const exampleAnswers = { replied: 12, clicked: 8, opted_out: 2 };
const byName = Joi.object().pattern(Joi.string(), Joi.number().integer()).required();

export const campaignStatsView = view(
  'campaign_stats',
  Joi.object({
    campaign_id: id.required(),
    as_of: timestamp
      .required()
      .description('When it was counted. Above 50,000 recipients at most 5 seconds ago, or 20 times as long as counting takes'),
    counts,
    reached,
    ...answers,
    skipped: byName.description('Recipients who were not written to, by reason'),
    failed: byName.description(
      "Recipients whose message failed, by the provider's code, or ours where the provider was not asked",
    ),
    variants: Joi.array()
      .items(Joi.object({ variant_id: Joi.string().allow('').required(), counts, reached, ...answers }))
      .required(),
    hours: Joi.array()
      .items(Joi.object({ hour: timestamp.required(), sent: number, failed: number }))
      .required()
      .description('Messages by the hour in which they were sent or failed, the last 1,000 hours'),
  }),
  {
    campaign_id: exampleIdOf('campaign'),
    as_of: exampleTime,
    counts: exampleCounts,
    reached: exampleReached,
    ...exampleAnswers,
    skipped: { suppressed: 3, consent_required: 2 },
    failed: { 131026: 1 },
    variants: [{ variant_id: 'a', counts: exampleCounts, reached: exampleReached, ...exampleAnswers }],
    hours: [{ hour: exampleTime, sent: 94, failed: 1 }],
  },
);

const withReached = <Counted extends { counts: Counts }>(counted: Counted) => ({
  ...counted,
  reached: reachedFrom(counted.counts),
});

export const statsOfCampaign = endpoint({
  method: 'get',
  path: '/v1/campaigns/:campaignID/stats',
  operationId: 'campaigns.stats',
  tag: 'Campaigns',
  scope: 'campaigns:read',
  summary: 'Statistics of a campaign',
  subject: 'Campaign',
  responses: { 200: campaignStatsView },
  async handler({ params, own }, { reads }) {
    const stats = await statsOf(own, params.campaignID, reads);
    return ok({
      campaign_id: params.campaignID,
      ...withReached(stats),
      variants: stats.variants.map(withReached),
    });
  },
});
