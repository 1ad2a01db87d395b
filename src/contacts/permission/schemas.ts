import Joi from 'joi';
import { toMoment } from '../../platform/time/moment.ts';
import { consentChannels, consentStatuses, suppressionChannels, suppressionReasons } from './permission.entity.ts';

/* What a client says of the permission of a contact, over the API and in a rule. */

export const consentChannel = Joi.string().valid(...consentChannels);
export const consentFields = {
  status: Joi.string()
    .valid(...consentStatuses)
    .required(),
  source: Joi.string().trim().max(200).allow('').default('').description('Where it was said, e.g. checkout'),
  proof: Joi.string().trim().max(2_000).allow('').default('').description('What shows it, e.g. a link to the record'),
};

/** Without a zone it would be the server's time, and 30 February would become a day in March. */
const endOfSuppression = Joi.date()
  .iso()
  .greater('now')
  .custom((at: Date, { original, error }) => (toMoment(String(original)) ? at : error('date.format')))
  .description('ISO 8601: a day, or a time with its zone; default: never');

export const suppressionFields = {
  channel: Joi.string()
    .valid(...suppressionChannels)
    .required(),
  reason: Joi.string()
    .valid(...suppressionReasons)
    .required(),
  expires_at: endOfSuppression.allow(null).default(null),
};
