import type { Own } from '../../platform/database/own.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import type { Look } from '../../platform/ledger/transact.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { createOrder, locksOf, lookAtOrder, onCreation, type Seen } from '../orders/create.ts';
import { claimDraft, type DraftRow, draftLock, getDraft, orderOf } from './drafts.ts';

/** Without `order`: the draft is an order already. */
export type SeenDraft = { draft: DraftRow; order?: Seen };

export const conversionOf = (own: Own, id: string): Look<SeenDraft> => ({
  ...onCreation,
  async look() {
    const draft = await getDraft(own, id);
    return draft.order_id === null ? { draft, order: await lookAtOrder(own, orderOf(draft)) } : { draft };
  },
  locks: ({ order }) => (order ? [draftLock(id), ...locksOf(order)] : []),
});

/** Throws 422 and 409, and then nothing was taken. */
export async function convertDraft(
  tx: OwnTx,
  secrets: Secrets,
  { draft, order }: SeenDraft,
  actor: string,
): Promise<{ orderId: string; isNew: boolean }> {
  if (!order) return { orderId: draft.order_id!, isNew: false };
  const orderId = uuidv7();
  if (!(await claimDraft(tx, draft, orderId))) throw new LocksOutdated();
  await createOrder(tx, secrets, order, { actor, draftId: draft.id, id: orderId });
  return { orderId, isNew: true };
}
