import { now } from '../platform/database/columns.ts';
import type { Change } from '../platform/database/own.ts';
import { AppError } from '../platform/errors.ts';
import { campaignCompleted, campaignStatusUpdate } from '../platform/events/campaign-events.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { Campaign } from './campaign.entity.ts';
import { type CampaignRow, getCampaign } from './campaign-row.ts';
import { freeSegments } from './campaign-segments.ts';
import { countsOf } from './counts.ts';
import { campaignLane } from './jobs.ts';
import { type CampaignAction, type CampaignReason, type CampaignStatus, campaignMoves, hasEnded } from './states.ts';

type Fields = Change<(typeof Campaign)['~entity']>;
/** `reason`: why it paused by itself or failed. `set`: what is written with it. */
export type Move = { to: CampaignStatus; reason?: CampaignReason; set?: Fields };

/** 409, which names the state. */
export function assertAllowed(action: CampaignAction, { status }: { status: CampaignStatus }): void {
  if (campaignMoves[action][status]) return;
  const message = `The campaign is ${status}: it cannot ${words[action] ?? action} now`;
  throw new AppError('conflict', message, {
    details: [{ field: 'campaignID', location: 'path', code: 'campaign.status', message, value: status }],
  });
}

const words: Partial<Record<CampaignAction, string>> = {
  change: 'be changed',
  cancel: 'be cancelled',
  delete: 'be deleted',
  'retry-failed': 'write to those again who were not reached',
};

/**
 * The one way from a state to another. Needs the campaign's lock (`campaignLane`). Where it is in that state already nothing is written.
 * Throws 404, and 409 for what `campaignMoves` does not have.
 */
export async function moveCampaign(
  own: OwnTx,
  id: string,
  action: CampaignAction,
  { to, reason, set = {} }: Move,
): Promise<CampaignRow> {
  own.assertLocked(campaignLane(id));
  const before = await getCampaign(own, id);
  assertAllowed(action, before);
  if (before.status === to) return before;
  if (!campaignMoves[action][before.status]!.includes(to)) throw new Error(`${action} leads from ${before.status} to no ${to}`);
  const change = { status: to, reason: reason ?? '', phase: phaseIn(to, before), ...timesOf(to, before), ...set };
  // Its last event tells what it came to, not what was counted some seconds ago.
  if (to === 'completed') Object.assign(change, { counts: null, counted_at: null, counts_due_at: null });
  await own.update(Campaign, { id }, { ...change, revision: before.revision + 1, updated_at: now() });
  if (hasEnded(to)) await freeSegments(own, id);
  const data = { campaign_id: id, organization_id: own.organizationId, status: to };
  own.emit(campaignStatusUpdate, { ...data, reason: reason ?? '' });
  const after = await getCampaign(own, id);
  if (to === 'completed') {
    const { total, sent, delivered, read, failed, skipped } = (await countsOf(own, after)).counts;
    own.emit(campaignCompleted, { ...data, counts: { total, sent, delivered, read, failed, skipped } });
  }
  return after;
}

/** A change of what it is, which is no move. The same rules. */
export async function changeCampaign(own: OwnTx, before: CampaignRow, set: Fields): Promise<CampaignRow> {
  own.assertLocked(campaignLane(before.id));
  assertAllowed('change', before);
  await own.update(Campaign, { id: before.id }, { ...set, revision: before.revision + 1, updated_at: now() });
  return getCampaign(own, before.id);
}

function phaseIn(to: CampaignStatus, { phase }: CampaignRow): CampaignRow['phase'] {
  return to === 'running' || to === 'paused' ? (phase ?? 'preparing') : null;
}

function timesOf(to: CampaignStatus, before: CampaignRow): Fields {
  if (to === 'running') return { ended_at: null, ...(before.started_at === null && { started_at: now() }) };
  if (to === 'paused') return { paused_at: now() };
  return hasEnded(to) ? { ended_at: now() } : {};
}
