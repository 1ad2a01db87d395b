import Joi from 'joi';
import type { Schedule } from '../../src/campaigns/campaign.entity.ts';
import { type CampaignRow, campaignsLock } from '../../src/campaigns/campaign-row.ts';
import { campaignLane } from '../../src/campaigns/jobs.ts';
import { cancelCampaign, pauseCampaign, resumeCampaign } from '../../src/campaigns/pause.ts';
import { startCampaign } from '../../src/campaigns/start.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleTime } from '../../src/platform/examples.ts';
import type { TenantTx } from '../../src/platform/ledger/tx.ts';
import { endpoint, type Input, ok, type Reply } from '../http/endpoint.ts';
import { withExample } from '../http/view.ts';
import { aboutCampaign, exampleContent, onePath, schedule } from './campaign-schemas.ts';
import { campaignView, toCampaignView } from './campaign-view.ts';
import { assertMaySend, maySendNote } from './may-send.ts';
import { parseContent } from './parse-content.ts';

/** One move of a campaign. */
const moving = (
  { params, own, write }: Pick<Input<unknown, unknown>, 'params' | 'own' | 'write'>,
  move: (tx: TenantTx, id: string) => Promise<CampaignRow>,
): Promise<Reply> =>
  write({ locks: [campaignLane(params.campaignID!), campaignsLock(own.organizationId)] }, async (tx) =>
    ok(await toCampaignView(tx.own, await move(tx, params.campaignID!))),
  );

const running = { status: 'running', phase: 'sending', start_at: exampleTime, started_at: exampleTime };

export const startOneCampaign = endpoint({
  ...aboutCampaign,
  method: 'post',
  path: `${onePath}/start`,
  operationId: 'campaigns.start',
  scope: 'campaigns:write',
  summary: 'Start a campaign, now or at the time of its schedule',
  description: `All of it is checked, and each fault is a detail with its path. With a start that is ahead it is \`scheduled\`, else \`running\`. A \`schedule\` in the body replaces the campaign's. Asked again with the same schedule it stays as it is; with another one it is a 409. ${maySendNote}`,
  body: Joi.object<{ schedule?: Schedule }>({ schedule }),
  responses: { 200: withExample(campaignView, { status: 'scheduled', start_at: '2026-12-01T02:00:00.000Z' }) },
  errors: [409],
  example: { body: { schedule: exampleContent.schedule } },
  isCounted: true,
  async handler(input) {
    await assertMaySend(input.own, input.caller, input.params.campaignID);
    await parseContent(input.own, input.params.campaignID);
    return moving(input, (tx, id) => startCampaign(tx, id, actorOf(input.caller), input.body?.schedule));
  },
});

export const pauseOneCampaign = endpoint({
  ...aboutCampaign,
  method: 'post',
  path: `${onePath}/pause`,
  operationId: 'campaigns.pause',
  scope: 'campaigns:write',
  summary: 'Pause a campaign',
  description:
    'After the reply no message is made. Those that were made go out: `in_flight` says how many. Idempotent; a 409 for one that does not run.',
  responses: { 200: withExample(campaignView, { ...running, status: 'paused', paused_at: exampleTime, in_flight: 12 }) },
  errors: [409],
  handler: (input) => moving(input, ({ own }, id) => pauseCampaign(own, id)),
});

export const resumeOneCampaign = endpoint({
  ...aboutCampaign,
  method: 'post',
  path: `${onePath}/resume`,
  operationId: 'campaigns.resume',
  scope: 'campaigns:write',
  summary: 'Let a paused campaign go on',
  description: `Its channels and templates are checked again; past the end of its schedule it is a 422. Idempotent; a 409 for one that is neither paused nor running. ${maySendNote}`,
  responses: { 200: withExample(campaignView, { ...running, paused_at: exampleTime, resumed_at: exampleTime }) },
  errors: [409],
  isCounted: true,
  async handler(input) {
    await assertMaySend(input.own, input.caller, input.params.campaignID);
    await parseContent(input.own, input.params.campaignID);
    return moving(input, resumeCampaign);
  },
});

export const cancelOneCampaign = endpoint({
  ...aboutCampaign,
  method: 'post',
  path: `${onePath}/cancel`,
  operationId: 'campaigns.cancel',
  scope: 'campaigns:write',
  summary: 'Cancel a campaign',
  description:
    'After the reply no message is handed to the provider, but for those that were at that moment. Who was not written to becomes `skipped`, as `cancelled`. It cannot be started again. Idempotent; a 409 for one that has ended otherwise.',
  responses: { 200: withExample(campaignView, { status: 'cancelled', ended_at: exampleTime }) },
  errors: [409],
  handler: (input) => moving(input, ({ own }, id) => cancelCampaign(own, id)),
});
