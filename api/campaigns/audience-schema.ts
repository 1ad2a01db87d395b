import Joi from 'joi';
import type { Audience } from '../../src/campaigns/campaign.entity.ts';
import { maxContactIds, maxSegmentsOfAudience } from '../../src/campaigns/checks/audience.ts';
import { recipientStatuses } from '../../src/campaigns/states.ts';
import { id } from '../http/schemas.ts';
import { selectionFields } from '../segments/segment-schemas.ts';

const segments = Joi.array().items(id).max(maxSegmentsOfAudience).unique();

export const audience = Joi.object<Audience>({
  segment_ids: segments,
  exclude_segment_ids: segments.description('Who is in one of these is not written to'),
  ...selectionFields,
  contact_ids: Joi.array().items(id).max(maxContactIds).unique(),
  from_campaign: Joi.object({
    campaign_id: id.required(),
    statuses: Joi.array()
      .items(Joi.string().valid(...recipientStatuses))
      .min(1)
      .max(recipientStatuses.length)
      .unique()
      .required(),
  }).description('Recipients of another campaign that have one of these statuses'),
}).description(
  'Whoever is in one of these: the segments, the contacts that `search` and `filters` find together, those with one of the `tags`, the ids, the recipients of another campaign. Each contact once, as it is at the start. Recipients that were added come on top',
);
