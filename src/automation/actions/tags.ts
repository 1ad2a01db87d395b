import Joi from 'joi';
import { contactLock } from '../../contacts/events.ts';
import { findTagNamed, tagName } from '../../contacts/tag-catalogue.ts';
import { assignFreeTag, assignTag, type FreeTag, findFreeTag, unassignTag } from '../../contacts/tags.ts';
import { getConversation } from '../../messaging/inbox/conversation-row.ts';
import { patchConversation } from '../../messaging/inbox/patch.ts';
import type { Own } from '../../platform/database/own.ts';
import { AppError } from '../../platform/errors.ts';
import { contactUpdated } from '../../platform/events/catalogue.ts';
import { id } from '../../platform/ids.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import type { OwnTx, TenantTx } from '../../platform/ledger/tx.ts';
import { contactAt, contactOf, idOf, scopesOn } from './about.ts';
import { databaseAction, type Noted, type Output, type PreparedStep, type StepContext } from './action.ts';

type Fields = { on: 'contact' | 'conversation'; tag: string; contact_id?: string; conversation_id?: string };
const fields = Joi.object<Fields>({
  on: Joi.string().valid('contact', 'conversation').default('contact').description('Who has the tag'),
  tag: tagName.required(),
  contact_id: id.description("Default: the run's contact"),
  conversation_id: id.description("Default: the run's conversation"),
});

type Work = {
  contact(tx: OwnTx, id: string): Promise<Output>;
  conversation(tx: TenantTx, id: string): Promise<Output>;
  noted?(own: Own, contactId: string): Promise<Noted | undefined>;
};

async function prepared(context: StepContext, given: Fields, work: Work): Promise<PreparedStep> {
  if (given.on === 'conversation') {
    const conversationId = idOf(context, 'conversation', given.conversation_id);
    return { locks: [conversationLane(conversationId)], write: (tx) => work.conversation(tx, conversationId) };
  }
  const contactId = await contactOf(context, given.contact_id);
  const noted = await work.noted?.(context.own, contactId);
  return { locks: [contactLock(contactId)], write: ({ own }) => work.contact(own, contactId), ...(noted && { noted }) };
}

export const addTag = databaseAction<Fields>({
  type: 'add_tag',
  description: 'Assigns a tag. One that is there already stays; a name nobody used before becomes a tag of the organization.',
  ...scopesOn('contact', 'conversation'),
  fields,
  example: { tag: 'vip' },
  tells: [contactUpdated.type],
  prepare: (context, given) =>
    prepared(context, given, {
      async noted(own, contact_id) {
        const free = await findFreeTag(own, contact_id, given.tag);
        return free && noting(free);
      },
      async contact(tx, contact_id) {
        const { row, isNew } = await assignTag(await contactAt(tx, contact_id), given.tag);
        return { contact_id, tag_id: row.id, tag: row.name, is_new: isNew };
      },
      async conversation(tx, conversation_id) {
        const { tags } = await getConversation(tx.own, conversation_id);
        const after = await patchConversation(tx, conversation_id, { tags: [...tags, given.tag] });
        const tag = await findTagNamed(tx.own, given.tag);
        return { conversation_id, tag_id: tag!.id, tag: tag!.name, is_new: after.tags.length > tags.length };
      },
    }),
});

export const removeTag = databaseAction<Fields>({
  type: 'remove_tag',
  description: 'Takes a tag away. Nothing changes where it is not there; the tag stays one of the organization.',
  ...scopesOn('contact', 'conversation'),
  fields,
  example: { tag: 'vip' },
  prepare: (context, given) =>
    prepared(context, given, {
      async contact(tx, contact_id) {
        const contact = await contactAt(tx, contact_id);
        const tag = await findTagNamed(tx, given.tag);
        if (!tag) return { contact_id, was_there: false };
        return { contact_id, tag_id: tag.id, tag: tag.name, was_there: await unassigned(() => unassignTag(contact, tag.id)) };
      },
      async conversation(tx, conversation_id) {
        const { tags } = await getConversation(tx.own, conversation_id);
        const tag = await findTagNamed(tx.own, given.tag);
        if (!tag || !tags.includes(tag.name)) return { conversation_id, was_there: false };
        await patchConversation(tx, conversation_id, { tags: tags.filter((name) => name !== tag.name) });
        return { conversation_id, tag_id: tag.id, tag: tag.name, was_there: true };
      },
    }),
});

const noting =
  (free: FreeTag): Noted =>
  ({ own }) => {
    assignFreeTag(own, free);
    return { contact_id: free.contactId, tag_id: free.id, tag: free.name, is_new: true };
  };

/** False: it was not there. */
async function unassigned(work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return false;
    throw error;
  }
}
