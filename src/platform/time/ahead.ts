import { invalidField } from '../errors.ts';
import { now } from './clock.ts';
import { momentMs } from './moment.ts';

/** Throws 422 at `field` for a moment that is past, or more than so many days ahead. By the database's clock. */
export function assertAhead(field: string, moment: string, maxDays: number): void {
  const aheadMs = momentMs(moment) - now();
  if (aheadMs <= 0) throw invalidField(field, `${field} must be in the future`, 'date.future');
  if (aheadMs > maxDays * 24 * 3_600_000) throw invalidField(field, `${field} must be within ${maxDays} days`, 'date.max');
}
