import Joi from 'joi';
import { endForm, futureEnd } from '../../platform/schemas/moment.ts';
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

export const suppressionFields = {
  channel: Joi.string()
    .valid(...suppressionChannels)
    .required(),
  reason: Joi.string()
    .valid(...suppressionReasons)
    .required(),
  expires_at: futureEnd.allow(null).default(null).description(`${endForm}. Default: never`),
};
