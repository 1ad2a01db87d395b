import Joi from 'joi';
import { moment, momentForm } from '../platform/schemas/moment.ts';

/* What a client may say of a deal, over the API and in a file. */

export const dealTitle = Joi.string().trim().min(1).max(200);
export const lostReason = Joi.string().trim().allow('').max(500).description('Of a lost deal alone');

export const expectedCloseAt = moment.allow('', null).description(`${momentForm}; empty: not known`);
