import { getOrganization } from '../../organizations/organizations.ts';
import type { Own } from '../../platform/database/own.ts';
import { nowDate } from '../../platform/time/clock.ts';
import type { Fault } from '../../templates/faults.ts';
import type { Audience, Schedule, Variant } from '../campaign.entity.ts';
import type { CampaignRow } from '../campaign-row.ts';
import { throwContentFaults } from '../content/faults.ts';
import { hasRecipients } from '../recipients/anybody.ts';
import { checkSchedule } from '../schedule/check-schedule.ts';
import { latestEnd } from '../schedule/start.ts';
import { wholeSchedule } from '../whole-schedule.ts';
import { audienceFaults, isEmptyAudience, unknownContact } from './audience.ts';
import { channelFaults, channelsOf } from './channels.ts';
import { variantFaults } from './templates.ts';

export type Checked = Partial<{
  channel_ids: string[];
  variants: Variant[];
  audience: Audience;
  schedule: Schedule;
}>;

/** Of a draft: what is given must be right, and nothing need be there. Throws 422 with every fault at its path. */
export async function assertGiven(own: Own, given: Checked, before: Checked = {}): Promise<void> {
  const { channel_ids = before.channel_ids ?? [], variants = before.variants ?? [], audience, schedule } = given;
  const channels = await channelsOf(own, channel_ids);
  const isContent = given.channel_ids !== undefined || given.variants !== undefined;
  throwContentFaults([
    ...(given.channel_ids ? channelFaults(channel_ids, channels, false) : []),
    ...(isContent && variants.length > 0 ? await variantFaults(own, channels, variants) : []),
    ...(audience ? await audienceFaults(own, audience) : []),
    ...(schedule ? await scheduleFaults(own, { schedule, start_at: null }) : []),
  ]);
}

/** Who it goes to and what it says: all that a campaign which begins needs, but for its schedule. */
export async function wholeFaults(own: Own, campaign: CampaignRow): Promise<Fault[]> {
  const { channel_ids, variants, audience } = campaign;
  return [
    ...(await sendingFaults(own, { channel_ids, variants })),
    ...(await audienceFaults(own, audience)),
    ...(await missingAudience(own, campaign)),
  ];
}

/** Of one that was started before: an erased or merged contact of its `contact_ids` is one recipient less, and stops nobody else. */
export async function laterFaults(own: Own, campaign: CampaignRow): Promise<Fault[]> {
  return (await wholeFaults(own, campaign)).filter(({ code }) => code !== unknownContact);
}

/** Of one whose audience is made already. */
export async function sendingFaults(own: Own, { channel_ids, variants }: Pick<CampaignRow, 'channel_ids' | 'variants'>) {
  const channels = await channelsOf(own, channel_ids);
  const faults = channelFaults(channel_ids, channels, true);
  if (variants.length === 0)
    return [...faults, { path: ['variants'], code: 'any.required', message: 'A campaign needs a template' }];
  return [...faults, ...(await variantFaults(own, channels, variants))];
}

export async function scheduleFaults(own: Own, campaign: Pick<CampaignRow, 'schedule' | 'start_at'>): Promise<Fault[]> {
  const schedule = wholeSchedule(campaign, await getOrganization(own));
  // A local start is a time of its own: now is none.
  if (schedule.is_local && campaign.schedule.start_at === undefined)
    return [{ path: ['schedule', 'start_at'], code: 'any.required', message: 'is_local needs the time in start_at' }];
  return checkSchedule(schedule, nowDate()).map(({ path, code, message }) => ({ path: [path], code, message }));
}

/** Of one that would go on: past its end everybody who waits is skipped, which cannot be undone. */
export async function overFaults(own: Own, campaign: Pick<CampaignRow, 'schedule' | 'start_at'>): Promise<Fault[]> {
  const end = latestEnd(wholeSchedule(campaign, await getOrganization(own)));
  if (end === undefined || end > nowDate()) return [];
  const message = 'schedule.end_at is past: nobody would be written to';
  return [{ path: ['schedule', 'end_at'], code: 'schedule.over', message }];
}

async function missingAudience(own: Own, { id, audience }: CampaignRow): Promise<Fault[]> {
  if (!isEmptyAudience(audience) || (await hasRecipients(own, id))) return [];
  return [{ path: ['audience'], code: 'audience_empty', message: 'Nobody would be written to: name an audience' }];
}
