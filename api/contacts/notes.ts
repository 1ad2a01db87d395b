import Joi from 'joi';
import { addNote, changeNote, listNotes, type NoteRow, noteText, readNote, removeNote } from '../../src/contacts/notes.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { dataList, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view, wrapped } from '../http/view.ts';
import { aboutContact, changeContact, data, listedData } from './schemas.ts';

const exampleNote = {
  id: exampleIds.note,
  body: 'Prefers to be called in the evening',
  author: `user:${exampleIds.user}`,
  created_at: exampleTime,
  updated_at: exampleTime,
};

export const noteView = view(
  'contact_note',
  Joi.object({
    id: id.required(),
    body: Joi.string().required(),
    author: Joi.string().required().description('Who wrote it: `user:<id>`, or `key:<id>` for a program'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  exampleNote,
);

const toView = ({ id, body, author, created_at, updated_at }: NoteRow) => ({
  id,
  body,
  author,
  created_at: iso(created_at),
  updated_at: iso(updated_at),
});

const noteBody = Joi.object<{ body: string }>({ body: noteText.required() });
const aboutNote = { ...aboutContact, subject: 'Note' };

export const listOfNotes = endpoint({
  ...aboutContact,
  method: 'get',
  path: '/v1/contacts/:contactID/notes',
  operationId: 'contacts.notes.list',
  scope: 'contacts:read',
  summary: 'List the notes about a contact, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: dataList(noteView) },
  handler: ({ params, query, own }) =>
    listedData('notes', params, query, (page) => listNotes(own, params.contactID, page), toView),
});

export const getNote = endpoint({
  ...aboutNote,
  method: 'get',
  path: '/v1/contacts/:contactID/notes/:noteID',
  operationId: 'contacts.notes.get',
  scope: 'contacts:read',
  summary: 'Get one note',
  responses: { 200: wrapped(noteView) },
  handler: async ({ params, own }) => data(toView(await readNote(own, params.contactID, params.noteID))),
});

export const createNote = endpoint({
  ...aboutContact,
  method: 'post',
  path: '/v1/contacts/:contactID/notes',
  operationId: 'contacts.notes.create',
  scope: 'contacts:write',
  summary: 'Write a note about a contact',
  isIdempotent: true,
  body: noteBody,
  responses: { 201: wrapped(noteView) },
  example: { body: { body: exampleNote.body } },
  handler: ({ params, body, caller, write }) =>
    changeContact(write, params.contactID, async (tx) => {
      const row = await addNote(tx, body.body, actorOf(caller));
      return { ...data(toView(row)), status: 201 };
    }),
});

export const patchNote = endpoint({
  ...aboutNote,
  method: 'patch',
  path: '/v1/contacts/:contactID/notes/:noteID',
  operationId: 'contacts.notes.update',
  scope: 'contacts:write',
  summary: 'Change a note',
  description: 'Its author stays who wrote it first.',
  body: noteBody,
  responses: { 200: wrapped(noteView) },
  example: { body: { body: exampleNote.body } },
  handler: ({ params, body, write }) =>
    changeContact(write, params.contactID, async (tx) => data(toView(await changeNote(tx, params.noteID, body.body)))),
});

export const deleteNote = endpoint({
  ...aboutNote,
  method: 'delete',
  path: '/v1/contacts/:contactID/notes/:noteID',
  operationId: 'contacts.notes.delete',
  scope: 'contacts:write',
  summary: 'Delete a note',
  responses: { 204: null },
  handler: ({ params, write }) =>
    changeContact(write, params.contactID, async (tx) => {
      await removeNote(tx, params.noteID);
      return { status: 204 };
    }),
});
