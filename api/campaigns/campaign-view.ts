import Joi from 'joi';
import { purposes } from '../../src/campaigns/campaign.entity.ts';
import type { CampaignRow } from '../../src/campaigns/campaign-row.ts';
import { type Counted, countsOf } from '../../src/campaigns/counts.ts';
import { guardsOf } from '../../src/campaigns/guard-defaults.ts';
import { campaignPhases, campaignReasons, campaignStatuses, recipientStatuses } from '../../src/campaigns/states.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { contentFields, exampleCampaignId, exampleContent, exampleName } from './campaign-schemas.ts';

const number = Joi.number().integer().required();
const countNames = ['total', ...recipientStatuses] as const;
const time = timestamp.allow(null).required();
const actor = Joi.string().allow('').required();

export const campaignView = view(
  'campaign',
  Joi.object({
    id: id.required(),
    name: Joi.string().required(),
    status: Joi.string()
      .valid(...campaignStatuses)
      .required(),
    phase: Joi.string()
      .valid(...campaignPhases)
      .allow(null)
      .required()
      .description('Of one that runs or is paused'),
    reason: Joi.string()
      .valid('', ...campaignReasons)
      .required()
      .description('Why it paused by itself or failed; empty: somebody asked for it'),
    purpose: Joi.string()
      .valid(...purposes)
      .required(),
    channel_ids: contentFields.channel_ids.required(),
    variants: contentFields.variants.required(),
    audience: contentFields.audience.required(),
    schedule: contentFields.schedule.required().description('From its start on with all that the organization gives it'),
    pace: contentFields.pace.required(),
    guards: contentFields.guards.required(),
    counts: Joi.object(Object.fromEntries(countNames.map((name) => [name, number])))
      .required()
      .description('Recipients by status, counted at `as_of`. A recipient is in one of them'),
    in_flight: number.description('Messages that are made and neither sent nor failed: at most a second of the channels'),
    as_of: timestamp.required(),
    revision: number.description('One more with each change, of its status too'),
    created_by: actor.description('`user:<id>`, or `key:<id>` for a program'),
    started_by: actor,
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
    start_at: time.description('The first moment at which somebody may be written to; null: it was not started'),
    started_at: time,
    paused_at: time,
    resumed_at: time,
    ended_at: time,
  }),
  {
    id: exampleCampaignId,
    name: exampleName,
    status: 'draft',
    phase: null,
    reason: '',
    ...exampleContent,
    counts: Object.fromEntries(countNames.map((name) => [name, 0])),
    in_flight: 0,
    as_of: exampleTime,
    revision: 1,
    created_by: `user:${exampleIds.user}`,
    started_by: '',
    created_at: exampleTime,
    updated_at: exampleTime,
    start_at: null,
    started_at: null,
    paused_at: null,
    resumed_at: null,
    ended_at: null,
  },
);

const shown = (at: string | null) => at && iso(at);

export const toCampaignView = async (own: Own, row: CampaignRow) => campaignShown(row, await countsOf(own, row));

export function campaignShown(row: CampaignRow, { counts, in_flight, as_of }: Counted) {
  const { id, name, status, phase, reason, purpose, channel_ids, variants, audience, schedule, pace } = row;
  return {
    ...{ id, name, status, phase, reason, purpose, channel_ids, variants, audience, schedule, pace },
    guards: guardsOf(row),
    counts,
    in_flight,
    as_of: iso(as_of),
    revision: row.revision,
    created_by: row.created_by,
    started_by: row.started_by,
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
    start_at: shown(row.start_at),
    started_at: shown(row.started_at),
    paused_at: shown(row.paused_at),
    resumed_at: shown(row.resumed_at),
    ended_at: shown(row.ended_at),
  };
}
