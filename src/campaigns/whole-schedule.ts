import { isDeepStrictEqual } from 'node:util';
import type { OrganizationRow } from '../organizations/organizations.ts';
import { nowDate } from '../platform/time/clock.ts';
import { momentMs } from '../platform/time/moment.ts';
import type { Schedule as Given } from './campaign.entity.ts';
import type { CampaignRow } from './campaign-row.ts';
import type { Schedule } from './schedule/schedule.ts';

type Settings = Pick<OrganizationRow, 'timezone' | 'quiet_hours'>;
type Filled = Omit<Schedule, 'start_at'> & { start_at?: string };

/** What is not given is the organization's. A campaign keeps it from its start on. */
export const filledSchedule = (given: Given, { timezone, quiet_hours }: Settings): Filled => ({
  ...(given.start_at !== undefined && { start_at: given.start_at }),
  timezone: given.timezone ?? timezone,
  is_local: given.is_local ?? false,
  quiet_hours: given.quiet_hours === undefined ? quiet_hours : given.quiet_hours,
  days: given.days ?? null,
  end_at: given.end_at ?? null,
});

/** Without a start it is the moment at which it was started; before that, now. */
export const wholeSchedule = (
  { schedule, start_at }: Pick<CampaignRow, 'schedule' | 'start_at'>,
  settings: Settings,
): Schedule => {
  const atStart = start_at === null ? nowDate() : new Date(momentMs(start_at));
  return { start_at: atStart.toISOString(), ...filledSchedule({ ...schedule }, settings) };
};

export const isSameSchedule = (one: Given, other: Given, settings: Settings): boolean =>
  isDeepStrictEqual(filledSchedule(one, settings), filledSchedule(other, settings));
