import { now } from '../platform/database/columns.ts';
import { AppError } from '../platform/errors.ts';
import { dealCreated, dealDeleted } from '../platform/events/crm-events.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { type DealRow, getDeal } from './deal-row.ts';
import { type Asked, changeDeal, stateOf } from './deal-tx.ts';

/** Into the bin: lists and links show it no more. Needs the deal's lock. Throws 404. */
export async function deleteDeal(tx: OwnTx, asked: Asked): Promise<void> {
  await changeDeal(tx, asked, (deal) => {
    deal.set({ deleted_at: now() });
    deal.changed('deleted', { from: false, to: true });
    deal.tellsBy(({ id }) => tx.emit(dealDeleted, { deal_id: id, organization_id: tx.organizationId }));
  });
}

/** Out of the bin; one that is not in it stays as it is. Needs the deal's lock. Throws 404. */
export async function restoreDeal(tx: OwnTx, asked: Asked): Promise<DealRow> {
  try {
    return await changeDeal(tx, { ...asked, isInBin: true }, (deal) => {
      deal.set({ deleted_at: null });
      deal.changed('deleted', { from: true, to: false });
      deal.tellsBy((row, changed) => tx.emit(dealCreated, stateOf(tx, row, changed)));
    });
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return getDeal(tx, asked.id);
    throw error;
  }
}
