import { isOpen } from '../../src/campaigns/schedule/open-hours.ts';
import type { JobError } from '../../src/platform/ledger/jobs.entity.ts';
import type { Claim } from './claim-message.ts';

/** The feed is about a second ahead of the channel: what is later than this has waited for something else. */
const graceMs = 60_000;

const over: JobError = {
  code: 'out_of_hours',
  message: 'The message waited until the hours of its campaign were over: its recipient is written to in them, with another one',
};

/**
 * A message of a campaign that waited until its hours were over, as for a channel that was mended at night. It does not wait for the morning
 * itself: an answer to the person would wait behind it. Of a campaign that has ended it goes out: somebody retries it by hand.
 */
export function outOfHours({ campaign }: Claim, now: Date): JobError | undefined {
  if (campaign?.status !== 'running' && campaign?.status !== 'paused') return undefined;
  const { quiet_hours = null, days = null, end_at = null, is_local = false } = campaign.schedule;
  if (!quiet_hours && !days && end_at === null) return undefined;
  const zone = campaign.zone ?? 'UTC';
  const schedule = { quiet_hours, days, end_at, is_local, start_at: '', timezone: zone };
  const isAllowed = [now, new Date(now.getTime() - graceMs)].some((at) => isOpen(schedule, zone, at));
  return isAllowed ? undefined : over;
}
