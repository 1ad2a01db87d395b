import { now } from '../platform/database/columns.ts';
import { invalidField } from '../platform/errors.ts';
import { dealClosed, dealStageChanged } from '../platform/events/crm-events.ts';
import type { DealStatus } from './deal.entity.ts';
import type { DealTx } from './deal-tx.ts';
import { type DealMoney, frozenMoney } from './money.ts';
import { findStage, type StageOfDeal } from './stages.ts';

const reasonWanted = () => invalidField('lost_reason', 'The pipeline wants a reason for a lost deal', 'any.required');

/** Else it would be dropped without a word. Throws 422. */
export function assertReasonFits(status: DealStatus, reason = ''): void {
  if (reason !== '' && status !== 'lost')
    throw invalidField('lost_reason', 'Only a lost deal has a reason', 'lost_reason.status');
}

/** `status`: the deal's after the change. Throws 422 where it would take the reason from a lost deal whose pipeline wants one. */
export async function takeReason(tx: DealTx, reason: string, status: DealStatus = tx.deal.status): Promise<void> {
  assertReasonFits(status, reason);
  const { stage_id } = tx.deal;
  const stage = reason === '' && status === 'lost' && stage_id !== null ? await findStage(tx, stage_id) : undefined;
  if (stage?.needs_lost_reason) throw reasonWanted();
  tx.set({ lost_reason: reason });
}

/** Closing freezes the money; reopening ends the closing. A deal that has the status already keeps its time and money. */
export async function takeStatus(
  tx: DealTx,
  status: DealStatus,
  lostReason?: string,
  { amount_minor, currency_code }: DealMoney = tx.deal,
): Promise<void> {
  const { deal } = tx;
  if (status === 'lost' && lostReason !== undefined) tx.set({ lost_reason: lostReason });
  if (deal.status === status) return;
  tx.set({ status, closed_at: status === 'open' ? null : now(), ...(status !== 'lost' && { lost_reason: '' }) });
  if (status === 'open') return;
  tx.set(await frozenMoney(tx, amount_minor, currency_code));
  tx.emit(dealClosed, { deal_id: deal.id, organization_id: tx.organizationId, status });
}

/** Into another stage, whose kind is the deal's status from then on. At its end, unless `position` says where. Throws 422. */
export async function takeStage(
  tx: DealTx,
  stage: StageOfDeal,
  { lostReason, position }: { lostReason?: string; position: unknown },
) {
  const { deal } = tx;
  assertReasonFits(stage.kind, lostReason);
  const reason = lostReason ?? deal.lost_reason;
  if (stage.kind === 'lost' && stage.needs_lost_reason && reason === '') throw reasonWanted();
  tx.set({
    pipeline_id: stage.pipeline_id,
    stage_id: stage.id,
    stage_entered_at: now(),
    position: position as string,
  });
  tx.emit(dealStageChanged, {
    deal_id: deal.id,
    organization_id: tx.organizationId,
    pipeline_id: stage.pipeline_id,
    from_stage_id: deal.stage_id,
    to_stage_id: stage.id,
    status: stage.kind,
  });
  await takeStatus(tx, stage.kind, lostReason);
}
