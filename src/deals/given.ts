import Joi from 'joi';
import { toMoment } from '../platform/time/moment.ts';

/* What a client may say of a deal, over the API and in a file. */

export const dealTitle = Joi.string().trim().min(1).max(200);
export const lostReason = Joi.string().trim().allow('').max(500).description('Of a lost deal alone');

/** A time, a day or none. */
export const expectedCloseAt = Joi.string()
  .allow('', null)
  .max(40)
  .custom((given: string, { error }) => (toMoment(given) === undefined ? error('string.isoDate') : given))
  .description('ISO 8601 with its zone, or a day, which begins in the zone of the organization; empty: not known');
