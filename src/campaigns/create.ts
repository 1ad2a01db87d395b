import { cut } from '../platform/cut.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import {
  type Audience,
  Campaign,
  CampaignChannel,
  type Guards,
  type Pace,
  type Purpose,
  type Schedule,
  type Variant,
} from './campaign.entity.ts';
import { type CampaignRow, getCampaign } from './campaign-row.ts';
import { holdSegments } from './campaign-segments.ts';
import { assertGiven } from './checks/content.ts';

export const maxName = 200;

export type CampaignContent = {
  name: string;
  purpose: Purpose;
  channel_ids: string[];
  variants: Variant[];
  audience: Audience;
  schedule: Schedule;
  pace: Pace;
  guards: Guards;
};
export type NewCampaign = Partial<CampaignContent> & Pick<CampaignContent, 'name'>;

/** A draft. Throws 422 for each fault in what is given. */
export async function createCampaign(own: OwnTx, actor: string, given: NewCampaign): Promise<CampaignRow> {
  await assertGiven(own, given);
  return insertCampaign(own, actor, given);
}

export async function insertCampaign(own: OwnTx, actor: string, { channel_ids = [], ...given }: NewCampaign) {
  const id = uuidv7();
  await own.insert(Campaign, { ...none, ...given, id, created_by: actor });
  await setChannels(own, id, channel_ids);
  await holdSegments(own, id, given.audience ?? {});
  return getCampaign(own, id);
}

const none = {
  phase: null,
  alarm: null,
  prepared: null,
  paced_until: null,
  counts: null,
  counted_at: null,
  counts_due_at: null,
  figures: null,
  figured_at: null,
  figures_due_at: null,
  frozen_at: null,
  purged_at: null,
  job_id: null,
  start_at: null,
  started_at: null,
  paused_at: null,
  resumed_at: null,
  ended_at: null,
  deleted_at: null,
};

export async function setChannels(own: OwnTx, campaignId: string, channelIds: string[]): Promise<void> {
  await own.delete(CampaignChannel, { campaign_id: campaignId });
  await own.insertMany(
    CampaignChannel,
    channelIds.map((channel_id, position) => ({ campaign_id: campaignId, channel_id, position })),
  );
}

/** A draft of the same content. What went away since, as a deleted segment, is found at the start. */
export async function duplicateCampaign(own: OwnTx, actor: string, id: string): Promise<CampaignRow> {
  const { name, purpose, channel_ids, variants, audience, schedule, pace, guards } = await getCampaign(own, id);
  const content = { purpose, channel_ids, variants, audience, schedule, pace, guards };
  return insertCampaign(own, actor, { ...content, name: copyOf(name) });
}

const suffix = ' (copy)';

function copyOf(name: string): string {
  return `${cut(name, maxName - suffix.length)}${suffix}`;
}
