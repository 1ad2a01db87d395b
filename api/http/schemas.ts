import Joi from 'joi';
import { id } from '../../src/platform/ids.ts';
import { toMoment } from '../../src/platform/time/moment.ts';

export const pathId = id;
export const timestamp = Joi.string().isoDate().description('ISO 8601, UTC');
export { id };

/** A time that a client names. */
export const moment = Joi.string()
  .max(40)
  .custom((text: string, { error }) => toMoment(text) ?? error('string.isoDate'))
  .description('ISO 8601 with its zone, or a day in UTC');

const databaseTime = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/;

/** A time as the wire shows it, to the millisecond. The database's own text in UTC needs no Date. */
export function iso(value: string | Date): string {
  const parts = typeof value === 'string' ? databaseTime.exec(value) : null;
  if (!parts) return new Date(value).toISOString();
  return `${parts[1]}T${parts[2]}.${(parts[3] ?? '').slice(0, 3).padEnd(3, '0')}Z`;
}

export const operationNote =
  'Answers at once with the subject as it stands and names the operation in `Operation-Id` and `Link`; `Prefer: wait=10` waits for its outcome.';
