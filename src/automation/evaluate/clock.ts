import type { BusinessHours } from '../../organizations/organization.entity.ts';
import { nowDate } from '../../platform/time/clock.ts';
import type { Clock } from '../conditions/evaluate.ts';
import type { Facts } from '../conditions/facts.ts';

/** Of the organization that the facts are about, now. */
export const clockOf = ({ organization }: Facts): Clock => ({
  now: nowDate(),
  hours: organization.business_hours as BusinessHours,
  timezone: organization.timezone as string,
});
