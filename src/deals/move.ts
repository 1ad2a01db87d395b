import { invalidField } from '../platform/errors.ts';
import { takeReason, takeStage, takeStatus } from './close.ts';
import type { DealStatus } from './deal.entity.ts';
import { dealWrite } from './deal-row.ts';
import { type DealTx, unknownReference } from './deal-tx.ts';
import { atEnd, isPlace, type Place, placeIn, stageLock } from './place.ts';
import { findStage, firstStage, type StageOfDeal } from './stages.ts';

/** `pipeline_id`: only for a stage of another pipeline. */
export type Move = Place & { stage_id: string; pipeline_id?: string; lost_reason?: string };

export const moveOf = (id: string, move: Move) => dealWrite(id, isPlace(move) ? [stageLock(move.stage_id)] : []);

/** Into a stage, or to another place of its own. Moving nowhere changes nothing but the reason, if one is given. Needs the locks of `moveOf`. Throws 422. */
export async function moveDeal(tx: DealTx, move: Move): Promise<void> {
  const stage = await stageAsked(tx, move);
  const isThere = tx.deal.stage_id === stage.id;
  if (isThere && move.lost_reason !== undefined) await takeReason(tx, move.lost_reason);
  if (!isPlace(move)) {
    if (!isThere) await takeStage(tx, stage, { lostReason: move.lost_reason, position: atEnd() });
    return;
  }
  const position = await placeIn(tx, stage.id, tx.deal, move);
  if (!isThere) await takeStage(tx, stage, { lostReason: move.lost_reason, position });
  else if (position !== undefined) tx.set({ position });
}

async function stageAsked(tx: DealTx, { stage_id, pipeline_id }: Move): Promise<StageOfDeal> {
  const stage = await findStage(tx, stage_id);
  if (stage && stage.pipeline_id === (pipeline_id ?? tx.deal.pipeline_id)) return stage;
  if (!stage || pipeline_id !== undefined) throw unknownReference('stage_id');
  throw invalidField('stage_id', 'The stage is of another pipeline: name it in pipeline_id to move there', 'stage.pipeline');
}

export type Closing = { stage_id?: string; lost_reason?: string };

/** Won or lost: in the first such stage of its pipeline, or the one named. Closed so already, it stays as it is. Throws 422. */
export async function closeDeal(tx: DealTx, status: 'won' | 'lost', { stage_id, lost_reason }: Closing = {}): Promise<void> {
  if (tx.deal.status !== status || stage_id !== undefined) await goTo(tx, status, stage_id, lost_reason);
  else if (lost_reason !== undefined) await takeReason(tx, lost_reason);
}

/** In the first open stage of its pipeline, or the one named. An open deal stays as it is. Throws 422. */
export async function reopenDeal(tx: DealTx, { stage_id }: { stage_id?: string } = {}): Promise<void> {
  if (tx.deal.status !== 'open') await goTo(tx, 'open', stage_id);
}

async function goTo(tx: DealTx, status: DealStatus, stageId: string | undefined, lostReason?: string) {
  const { pipeline_id } = tx.deal;
  if (pipeline_id === null) {
    if (stageId !== undefined) throw unknownReference('stage_id');
    return takeStatus(tx, status, lostReason);
  }
  const stage = stageId === undefined ? await firstStage(tx, pipeline_id, status) : await stageAsked(tx, { stage_id: stageId });
  if (stage?.kind !== status) throw invalidField('stage_id', `The stage is not one of kind ${status}`, 'stage.kind');
  if (stage.id !== tx.deal.stage_id) await takeStage(tx, stage, { lostReason, position: atEnd() });
  else if (lostReason !== undefined) await takeReason(tx, lostReason);
}
