import { findBrief } from '../../messaging/inbox/conversation-row.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { list, type Page } from '../../platform/listing/paging.ts';
import { DealConversation } from '../deal.entity.ts';
import { getDeal } from '../deal-row.ts';
import type { DealTx } from '../deal-tx.ts';

export const maxConversationsOfDeal = 100;

const linked = statement((select, { dealId }: { dealId: string }) =>
  select(DealConversation).select('conversation_id').where('deal_id', '=', dealId),
);
const linksByPage = list(
  (select, { dealId }: { dealId: string }) =>
    select(DealConversation).select(['conversation_id as id', 'created_at']).where('deal_id', '=', dealId),
  { id: 'conversation_id' },
);

/** `id`: the conversation's. Throws 404. */
export async function listConversationsOf(own: Own, dealId: string, page: Page) {
  await getDeal(own, dealId);
  return linksByPage(own, { dealId }, page);
}

/** Linked already, it stays so. Throws 404 for an unknown conversation, 422 at the limit. */
export async function linkConversation(tx: DealTx, conversationId: string): Promise<void> {
  await findBrief(tx, conversationId);
  const before = await linked(tx, { dealId: tx.deal.id });
  if (before.some(({ conversation_id }) => conversation_id === conversationId)) return;
  if (before.length >= maxConversationsOfDeal)
    throw new AppError('limit_reached', `A deal has at most ${maxConversationsOfDeal} conversations`);
  await tx.insert(DealConversation, { deal_id: tx.deal.id, conversation_id: conversationId });
  tx.changed('conversations', { from: [], to: [conversationId] });
}

/** Throws 404, which tells an unknown conversation from one that the deal is not linked to. */
export async function unlinkConversation(tx: DealTx, conversationId: string): Promise<void> {
  const removed = await tx.delete(DealConversation, { deal_id: tx.deal.id, conversation_id: conversationId });
  if (removed === 0) {
    await findBrief(tx, conversationId);
    throw notFound('Link');
  }
  tx.changed('conversations', { from: [conversationId], to: [] });
}
