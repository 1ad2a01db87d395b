import { mergedCustom } from '../contacts/fields.ts';
import { assertAmountsWithCurrency } from '../money/change-currency.ts';
import { holdMember } from '../organizations/members.ts';
import { invalidField } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { takeReason, takeStatus } from './close.ts';
import type { DealStatus } from './deal.entity.ts';
import { type DealTx, unknownReference } from './deal-tx.ts';
import { frozenMoney } from './money.ts';

/** What is not given stays. An empty `expected_close_at` empties it; a null in `custom_fields` removes the field. */
export type DealPatch = {
  title?: string;
  status?: DealStatus;
  amount_minor?: string;
  currency_code?: string;
  expected_close_at?: string | null;
  owner_user_id?: string | null;
  lost_reason?: string;
  custom_fields?: Record<string, unknown>;
  metadata?: Record<string, unknown>;
};

/** Throws 422 for a status of a deal in a stage, an owner who is no member, too many custom fields, a new currency alone. */
export async function patchDeal(tx: DealTx, patch: DealPatch): Promise<void> {
  const { deal } = tx;
  const { title, status, amount_minor = deal.amount_minor, currency_code = deal.currency_code, owner_user_id } = patch;
  if (title !== undefined) tx.set({ title });
  if (patch.metadata) tx.set({ metadata: patch.metadata });
  if (patch.custom_fields) tx.set({ custom_fields: mergedCustom(deal.custom_fields, patch.custom_fields) });
  if (patch.expected_close_at !== undefined) tx.set({ expected_close_at: patch.expected_close_at || null });
  if (owner_user_id !== undefined && owner_user_id !== deal.owner_user_id) {
    if (owner_user_id !== null) await assertOwner(tx, owner_user_id);
    tx.set({ owner_user_id });
  }
  if (status !== undefined && status !== deal.status && deal.stage_id !== null)
    throw invalidField('status', 'The status is that of its stage: move the deal, or win, lose or reopen it', 'status.stage');
  if (patch.lost_reason !== undefined) await takeReason(tx, patch.lost_reason, status);
  assertAmountsWithCurrency({ from: deal.currency_code, to: patch.currency_code }, [
    { field: 'amount_minor', stored: deal.amount_minor, isNamed: patch.amount_minor !== undefined },
  ]);
  if (amount_minor !== deal.amount_minor || currency_code !== deal.currency_code)
    tx.set(await frozenMoney(tx, amount_minor, currency_code));
  if (status !== undefined) await takeStatus(tx, status, patch.lost_reason, { amount_minor, currency_code });
}

/** The member stays one until the transaction ends. */
export async function assertOwner(tx: OwnTx, userId: string): Promise<void> {
  if (!(await holdMember(tx, userId))) throw unknownReference('owner_user_id');
}
