import Joi from 'joi';
import { toMoment } from '../time/moment.ts';

/** A time that a client names. */
export const moment = Joi.string()
  .max(40)
  .custom((text: string, { error }) => toMoment(text) ?? error('string.isoDate'))
  .description('ISO 8601 with its zone, or a day in UTC');
