import Joi from 'joi';
import { noteText } from '../../src/contacts/notes.ts';
import {
  addConversationNote,
  type ConversationNoteRow,
  changeConversationNote,
  listConversationNotes,
  readConversationNote,
  removeConversationNote,
} from '../../src/messaging/inbox/notes.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { aboutConversation, changeConversation } from './conversation-schemas.ts';

const exampleNote = {
  id: exampleIds.conversationNote,
  conversation_id: exampleIds.conversation,
  contact_id: exampleIds.contact,
  body: 'Refund promised by Friday',
  author: `user:${exampleIds.user}`,
  created_at: exampleTime,
  updated_at: exampleTime,
};

const noteView = view(
  'conversation_note',
  Joi.object({
    id: id.required(),
    conversation_id: id.required(),
    contact_id: id.allow(null).required().description('null: the contact was erased'),
    body: Joi.string().required(),
    author: Joi.string().required().description('Who wrote it: `user:<id>`, or `key:<id>` for a program'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  exampleNote,
);

const toView = ({ created_at, updated_at, ...row }: ConversationNoteRow) => ({
  id: row.id,
  conversation_id: row.conversation_id,
  contact_id: row.contact_id,
  body: row.body,
  author: row.author,
  created_at: iso(created_at),
  updated_at: iso(updated_at),
});

const noteBody = Joi.object<{ body: string }>({ body: noteText.required() });
const aboutNote = { ...aboutConversation, subject: 'Note' };
const placeOf = (params: { conversationID: string; conversationNoteID: string }) => ({
  conversationId: params.conversationID,
  id: params.conversationNoteID,
});

export const listOfConversationNotes = endpoint({
  ...aboutConversation,
  method: 'get',
  path: '/v1/conversations/:conversationID/notes',
  operationId: 'conversations.notes.list',
  scope: 'conversations:read',
  summary: 'List the notes of the team on a conversation, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(noteView) },
  handler: ({ params, query, own }) =>
    listed('conversation_notes', params, query, (page) => listConversationNotes(own, params.conversationID, page), toView),
});

export const getConversationNote = endpoint({
  ...aboutNote,
  method: 'get',
  path: '/v1/conversations/:conversationID/notes/:conversationNoteID',
  operationId: 'conversations.notes.get',
  scope: 'conversations:read',
  summary: 'Get one note',
  responses: { 200: noteView },
  handler: async ({ params, own }) => ok(toView(await readConversationNote(own, placeOf(params)))),
});

export const createConversationNote = endpoint({
  ...aboutConversation,
  method: 'post',
  path: '/v1/conversations/:conversationID/notes',
  operationId: 'conversations.notes.create',
  scope: 'conversations:write',
  summary: 'Write a note for the team',
  description: 'The person never sees it. It is deleted with the person.',
  isIdempotent: true,
  body: noteBody,
  responses: { 201: noteView },
  example: { body: { body: exampleNote.body } },
  handler: ({ params, body, caller, write }) =>
    changeConversation(write, params.conversationID, async (tx) => {
      const row = await addConversationNote(tx.own, params.conversationID, body.body, actorOf(caller));
      return { status: 201, body: toView(row) };
    }),
});

export const patchConversationNote = endpoint({
  ...aboutNote,
  method: 'patch',
  path: '/v1/conversations/:conversationID/notes/:conversationNoteID',
  operationId: 'conversations.notes.update',
  scope: 'conversations:write',
  summary: 'Change a note',
  description: 'Its author stays who wrote it first.',
  body: noteBody,
  responses: { 200: noteView },
  example: { body: { body: exampleNote.body } },
  handler: ({ params, body, write }) =>
    changeConversation(write, params.conversationID, async (tx) =>
      ok(toView(await changeConversationNote(tx.own, placeOf(params), body.body))),
    ),
});

export const deleteConversationNote = endpoint({
  ...aboutNote,
  method: 'delete',
  path: '/v1/conversations/:conversationID/notes/:conversationNoteID',
  operationId: 'conversations.notes.delete',
  scope: 'conversations:write',
  summary: 'Delete a note',
  responses: { 204: null },
  handler: ({ params, write }) =>
    changeConversation(write, params.conversationID, async (tx) => {
      await removeConversationNote(tx.own, placeOf(params));
      return { status: 204 };
    }),
});
