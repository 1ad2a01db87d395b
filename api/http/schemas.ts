import Joi from 'joi';
import { id } from '../../src/platform/ids.ts';
import { endMoment, moment } from '../../src/platform/schemas/moment.ts';
import { iso, toMoment } from '../../src/platform/time/moment.ts';
import { isTimeZone } from '../../src/platform/time/zones.ts';

export const pathId = id;
export const timestamp = Joi.string().isoDate().description('ISO 8601, UTC');
export { endMoment, id, iso, moment };

const dayForm = /^[1-9]\d{3}-\d\d-\d\d$/;

/** 29 February only of a leap year. One fault a value: what is spelled wrong is not looked at further. */
export const day = Joi.string()
  .max(10)
  .pattern(dayForm)
  .custom((text: string, { error }) => (!dayForm.test(text) || toMoment(text) ? text : error('date.day')))
  .messages({
    'string.pattern.base': '{{#label}} must be a day as YYYY-MM-DD',
    'date.day': '{{#label}} is not a day of the calendar',
  })
  .description('YYYY-MM-DD');

const longestZone = 64;

/** No offset: it has no summer time. */
export const timeZone = Joi.string()
  .max(longestZone)
  .custom((text: string, { error }) => (text.length > longestZone || isTimeZone(text) ? text : error('timezone.unknown')))
  .messages({ 'timezone.unknown': '{{#label}} must be a zone of the IANA database, such as `Asia/Jakarta`' })
  .description('A zone of the IANA database, such as `Europe/Berlin`');

export const operationNote =
  'Answers at once with the subject as it stands and names the operation in `Operation-Id` and `Link`; `Prefer: wait=10` waits for its outcome.';
