import Joi from 'joi';
import { contactLock } from '../../contacts/events.ts';
import { addNote, noteText } from '../../contacts/notes.ts';
import { addConversationNote } from '../../messaging/inbox/notes.ts';
import { id } from '../../platform/ids.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import { contactAt, contactOf, idOf, scopesOn } from './about.ts';
import { databaseAction } from './action.ts';

type Fields = { on: 'contact' | 'conversation'; body: string; contact_id?: string; conversation_id?: string };

export const addNoteAction = databaseAction<Fields>({
  type: 'add_note',
  description:
    'Writes a note about a contact, or for the team on a conversation. Its author is the run. The person never sees it.',
  ...scopesOn('contact', 'conversation'),
  fields: Joi.object<Fields>({
    on: Joi.string().valid('contact', 'conversation').default('contact').description('What the note is about'),
    body: noteText.required(),
    contact_id: id.description("Default: the run's contact"),
    conversation_id: id.description("Default: the run's conversation"),
  }),
  example: { body: 'Asked for a refund of order {{ message.text }}' },
  async prepare(context, given) {
    const { actor } = context;
    if (given.on === 'conversation') {
      const conversationId = idOf(context, 'conversation', given.conversation_id);
      return {
        locks: [conversationLane(conversationId)],
        async write({ own }) {
          const note = await addConversationNote(own, conversationId, given.body, actor);
          return { conversation_id: conversationId, note_id: note.id };
        },
      };
    }
    const contactId = await contactOf(context, given.contact_id);
    return {
      locks: [contactLock(contactId)],
      async write({ own }) {
        const note = await addNote(await contactAt(own, contactId), given.body, actor);
        return { contact_id: contactId, note_id: note.id };
      },
    };
  },
});
