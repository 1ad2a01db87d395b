import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { describeNotes, nobodysNote } from '../../support/notes.ts';

const app = useApp();
let conversation: { id: string; contactId: string };
let other: { id: string; contactId: string };

describeNotes(app, {
  operation: (name) => `conversations.notes.${name}`,
  async make() {
    const channel = await app.connect();
    conversation = await app.conversation(channel);
    other = await app.conversation(channel);
    const tenant = await app.organization();
    const foreign = await app.conversation(await app.connect({ tenant }));
    return { id: conversation.id, other: other.id, wrong: [foreign.id, nobodysNote, 'no-uuid'] };
  },
  params: (conversationID, conversationNoteID) => ({ conversationID, ...(conversationNoteID && { conversationNoteID }) }),
  path: (id) => `/v1/conversations/${id}/notes`,
  noteOf: (body) => body,
  listOf: ({ items }) => items,
  own: (id) => ({ conversation_id: id, contact_id: conversation.contactId }),
});

test('the stored reply of an Idempotency-Key is deleted with the person', async () => {
  const headers = { 'idempotency-key': 'note-of-a-person' };
  const about = { params: { conversationID: other.id }, body: { body: 'Once' }, headers };
  expect((await app.call('conversations.notes.create', about)).status).toBe(201);
  await app.call('contacts.delete', { params: { contactID: other.contactId } });
  expect((await app.call('conversations.notes.create', about)).status).toBe(404);
});
