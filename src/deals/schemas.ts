import Joi from 'joi';
import { customFields, metadata } from '../contacts/fields.ts';
import { amountMinor, currencyCode } from '../money/schemas.ts';
import { id } from '../platform/ids.ts';
import { dealStatuses } from './deal.entity.ts';
import { dealTitle, expectedCloseAt, lostReason } from './given.ts';
import { maxContactsOfDeal } from './links/contacts.ts';
import type { NewDeal } from './new-deal.ts';

/* What a client says of a deal, over the API and in a rule. */

export const contactRole = Joi.string().trim().allow('').max(100);

const common = {
  status: Joi.string().valid(...dealStatuses),
  amount_minor: amountMinor,
  currency_code: currencyCode,
  expected_close_at: expectedCloseAt,
  owner_user_id: id.allow(null).description('The user id of a member; null: nobody'),
  lost_reason: lostReason,
  custom_fields: customFields,
  metadata,
};

export const dealPatchFields = { title: dealTitle, ...common };

/** `title` is required, but where a deal may be named instead. */
export const newDealFields = {
  title: dealTitle,
  ...common,
  pipeline_id: id.description('Without `stage_id`: its first stage of the status. Default: the default pipeline'),
  stage_id: id,
  contacts: Joi.array()
    .items(
      Joi.object<NonNullable<NewDeal['contacts']>[number], true>({
        contact_id: id.required(),
        role: contactRole,
        is_primary: Joi.boolean(),
      }),
    )
    .max(maxContactsOfDeal)
    .unique('contact_id')
    .unique((one, other) => one?.is_primary === true && other?.is_primary === true)
    .description('One of them at most is the primary; if none is said to be, the first is'),
};

const place = id.description('A deal of the stage');
/** `before_id` or `after_id`, not both. */
export const moveFields = {
  pipeline_id: id.description('Needed for a stage of another pipeline'),
  before_id: place,
  after_id: place,
  lost_reason: lostReason,
};
