import Joi from 'joi';
import { campaignsLock } from '../../src/campaigns/campaign-row.ts';
import { campaignLane } from '../../src/campaigns/jobs.ts';
import { askForRetry } from '../../src/campaigns/retry-failed.ts';
import { endpoint } from '../http/endpoint.ts';
import { operationNote } from '../http/schemas.ts';
import { withExample } from '../http/view.ts';
import { aboutCampaign, onePath } from './campaign-schemas.ts';
import { campaignView, toCampaignView } from './campaign-view.ts';
import { assertMaySend, maySendNote } from './may-send.ts';
import { parseContent } from './parse-content.ts';

export const retryFailedOfCampaign = endpoint({
  ...aboutCampaign,
  method: 'post',
  path: `${onePath}/retry-failed`,
  operationId: 'campaigns.retry-failed',
  scope: 'campaigns:write',
  summary: 'Write again to the recipients whose message failed',
  description: `They become \`pending\`, and a completed campaign runs again. Whose message may have arrived (\`outcome_unknown\`) is left out, unless \`force\`: they may get it twice. ${operationNote} Past the end of its schedule it is a 422. A 409 for a campaign that neither runs, nor is paused, nor completed. ${maySendNote}`,
  isOperation: true,
  isCounted: true,
  isIdempotent: true,
  body: Joi.object<{ force: boolean }>({
    force: Joi.boolean().strict().default(false).description('Those too whose message may have arrived'),
  }),
  responses: { 200: withExample(campaignView, { status: 'completed' }) },
  errors: [409],
  example: { body: { force: false } },
  async handler({ params, body, caller, own, write }) {
    await assertMaySend(own, caller, params.campaignID);
    const id = params.campaignID;
    await parseContent(own, id);
    return write({ locks: [campaignLane(id), campaignsLock(own.organizationId)] }, async (tx) => {
      const { campaign, operationId } = await askForRetry(tx.own, id, body?.force ?? false);
      return { status: 200, body: await toCampaignView(tx.own, campaign), operationId };
    });
  },
});
