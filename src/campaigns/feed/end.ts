import type { OwnTx } from '../../platform/ledger/tx.ts';
import { Campaign } from '../campaign.entity.ts';
import { findCampaign } from '../campaign-row.ts';
import { moveCampaign } from '../campaign-tx.ts';
import type { CampaignPhase, CampaignReason } from '../states.ts';
import { readLeft } from './left.ts';

/** Somebody waits again: a message was retried by hand. */
export class SomebodyWaits extends Error {}

const isRunning = async (own: OwnTx, id: string) => (await findCampaign(own, id))?.status === 'running';

/** Needs the campaign's lock, as all here. Paused or cancelled meanwhile: it stays so. */
export async function pauseByItself(own: OwnTx, id: string, reason: CampaignReason): Promise<void> {
  if (await isRunning(own, id)) await moveCampaign(own, id, 'pause', { to: 'paused', reason, set: { alarm: null } });
}

/** SQL: `for no key update`: a message that fails may let its recipient wait again, under the same lock of the row and none of the campaign's. */
const holdRow = `
  select 1
    from campaigns
   where organization_id = $1
     and id = $2
     for no key update`;

export async function completeCampaign(own: OwnTx, id: string): Promise<void> {
  await own.sql(holdRow, [id]);
  if (!(await isRunning(own, id))) return;
  const { has_pending, has_queued } = await readLeft(own, id);
  if (has_pending || has_queued) throw new SomebodyWaits();
  await moveCampaign(own, id, 'complete', { to: 'completed' });
}

/** Mostly the row has that phase, and nothing is written. */
export const showPhase = (own: OwnTx, id: string, phase: CampaignPhase) =>
  own.update(Campaign, { id, status: 'running', phase: { $ne: phase } }, { phase });
