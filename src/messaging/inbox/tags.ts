import { ensureTag } from '../../contacts/tag-catalogue.ts';
import { AppError } from '../../platform/errors.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { ConversationTag } from '../conversation.entity.ts';

export const maxTagsOfConversation = 50;

/** All its tags from now on; a new name also becomes a tag of the catalogue. False: it had exactly these. Throws 422 at the limit. Before any row is changed. */
export async function setTags(tx: OwnTx, conversationId: string, names: string[]): Promise<boolean> {
  const wanted = new Set<string>();
  for (const name of names) wanted.add((await ensureTag(tx, name)).row.id);
  if (wanted.size > maxTagsOfConversation)
    throw new AppError('limit_reached', `A conversation has at most ${maxTagsOfConversation} tags`);
  const assigned = await tx.find(ConversationTag, { conversation_id: conversationId });
  const had = new Set(assigned.map(({ tag_id }) => tag_id));
  const [gone, added] = [[...had].filter((id) => !wanted.has(id)), [...wanted].filter((id) => !had.has(id))];
  if (gone.length > 0) await tx.delete(ConversationTag, { conversation_id: conversationId, tag_id: { $in: gone } });
  await tx.insertMany(
    ConversationTag,
    added.map((tag_id) => ({ conversation_id: conversationId, tag_id })),
  );
  return gone.length + added.length > 0;
}
