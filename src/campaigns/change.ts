import { isDeepStrictEqual } from 'node:util';
import { getOrganization } from '../organizations/organizations.ts';
import { AppError, invalidField } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { assertRevision } from '../platform/revision.ts';
import { type CampaignRow, getCampaign } from './campaign-row.ts';
import { holdSegments } from './campaign-segments.ts';
import { assertAllowed, changeCampaign } from './campaign-tx.ts';
import { assertGiven, laterFaults, scheduleFaults } from './checks/content.ts';
import { throwContentFaults } from './content/faults.ts';
import { type CampaignContent, setChannels } from './create.ts';
import { reschedule } from './start-job.ts';
import { filledSchedule } from './whole-schedule.ts';

export type CampaignPatch = Partial<CampaignContent> & { revision?: number };

const whilePaused: readonly string[] = ['schedule', 'pace', 'guards'];

/**
 * What is not given stays; an object that is given replaces the one before. Throws 404; 409 for a stale revision, a state in which nothing can
 * be changed, and a field that cannot be changed in it; 422 as createCampaign, of a scheduled one as startCampaign.
 */
export async function patchCampaign(own: OwnTx, id: string, { revision, ...asked }: CampaignPatch): Promise<CampaignRow> {
  const before = await getCampaign(own, id);
  assertAllowed('change', before);
  assertRevision('campaign', before.revision, revision);
  assertMayChange(before, asked);
  const given = { ...asked, ...(asked.schedule && { schedule: withItsForm(before, asked.schedule) }) };
  await assertGiven(own, given, before);
  const schedule = given.schedule && (await newSchedule(own, before, given.schedule));
  const { channel_ids, ...fields } = given;
  if (isSame(before, { ...given, ...(schedule && { schedule }) })) return before;
  if (channel_ids) await setChannels(own, id, channel_ids);
  if (fields.audience) await holdSegments(own, id, fields.audience);
  const after = await changeCampaign(own, before, { ...fields, ...(schedule && { schedule }) });
  if (after.status !== 'scheduled') return after;
  throwContentFaults([...(await laterFaults(own, after)), ...(await scheduleFaults(own, { ...after, start_at: null }))]);
  return given.schedule ? reschedule(own, after) : after;
}

const isSame = (before: CampaignRow, given: object) =>
  Object.entries(given).every(([name, value]) => isDeepStrictEqual(before[name as keyof CampaignRow], value));

function assertMayChange({ status }: CampaignRow, given: object): void {
  const [field] = Object.keys(given).filter((name) => !whilePaused.includes(name));
  if (status !== 'paused' || field === undefined) return;
  const message = `The campaign is paused: only ${whilePaused.join(', ')} can be changed`;
  throw new AppError('conflict', message, {
    details: [{ field, location: 'body', code: 'campaign.status', message, value: status }],
  });
}

const fixed = ['start_at', 'timezone', 'is_local'] as const;

/** Of one whose recipients have their times: what stays says how its other times are written, and what they must be after. */
function withItsForm({ prepared, schedule }: CampaignRow, given: NonNullable<CampaignContent['schedule']>) {
  if (!prepared) return given;
  const kept = fixed.filter((name) => schedule[name] !== undefined).map((name) => [name, schedule[name]]);
  return { ...Object.fromEntries(kept), ...given };
}

/**
 * One that has been started has all of it, and keeps its start where none is given: a change of its quiet hours must not start it now. The
 * recipients of one that has begun have their times.
 */
async function newSchedule(own: OwnTx, before: CampaignRow, given: CampaignContent['schedule']) {
  if (before.status === 'draft') return given;
  const settings = await getOrganization(own);
  const kept = before.status === 'scheduled' ? { start_at: before.schedule.start_at } : {};
  const after = filledSchedule({ ...kept, ...given }, settings);
  const was = filledSchedule(before.schedule, settings);
  const changed = before.prepared && fixed.find((name) => given[name] !== undefined && after[name] !== was[name]);
  if (changed) throw invalidField(`schedule.${changed}`, 'Its recipients have their times already', 'schedule.begun');
  if (!before.prepared) return after;
  const { start_at: _, ...rest } = after;
  const { start_at, timezone, is_local } = was;
  return { ...rest, timezone, is_local, ...(start_at !== undefined && { start_at }) };
}
