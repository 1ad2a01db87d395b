import type { OrganizationRow } from '../../organizations/organizations.ts';
import { zoneOf } from '../../platform/time/zone-of.ts';
import type { Schedule } from '../campaign.entity.ts';

export type ZoneSettings = Pick<OrganizationRow, 'timezone' | 'timezone_field'>;
type Person = { custom_fields?: Record<string, unknown> };

/** The zone of the times in a message: the recipient's where the campaign is sent in local time, else the organization's. */
export function zoneOfTexts(schedule: Schedule, { timezone, timezone_field }: ZoneSettings, { custom_fields }: Person): string {
  if (!schedule.is_local) return timezone;
  const own = timezone_field === null ? undefined : custom_fields?.[timezone_field];
  return zoneOf(own, schedule.timezone ?? timezone);
}
