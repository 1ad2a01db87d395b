import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';
import { person, sessionHeaders } from '../../support/factories/person.ts';

const app = useApp();
let conversation: { id: string; contactId: string };
let other: { id: string; contactId: string };
const stranger = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';

beforeAll(async () => {
  const channel = await app.connect();
  conversation = await app.conversation(channel);
  other = await app.conversation(channel);
});

const at = (conversationNoteID?: string, conversationID = conversation.id) => ({
  params: { conversationID, ...(conversationNoteID && { conversationNoteID }) },
});
const write = (body: unknown, headers?: Record<string, string>) =>
  app.call('conversations.notes.create', { ...at(), body: { body }, headers });
const list = async (query = {}): Promise<Body> => (await app.call('conversations.notes.list', { ...at(), query })).body;
const noted = async () => (await app.events(conversation.id)).filter(({ data }) => data.changed?.includes('notes')).length;

test('a note is written, read, listed, changed and deleted, each with its event', async () => {
  const made = await write('  Spaces stay\n\tand العربية 🎉 too ');
  expect(made.status).toBe(201);
  const note = made.body;
  expect(note).toMatchObject({
    conversation_id: conversation.id,
    contact_id: conversation.contactId,
    body: '  Spaces stay\n\tand العربية 🎉 too ',
    author: `key:${app.tenant.keyId}`,
  });
  expect(made.headers.get('location')).toBe(`/v1/conversations/${conversation.id}/notes/${note.id}`);
  expect((await list()).items).toEqual([note]);
  expect((await app.call('conversations.notes.get', at(note.id))).body).toEqual(note);
  const changed = await app.call('conversations.notes.update', { ...at(note.id), body: { body: 'Better' } });
  expect(changed.body).toMatchObject({ id: note.id, body: 'Better', author: note.author, created_at: note.created_at });
  const same = await app.call('conversations.notes.update', { ...at(note.id), body: { body: 'Better' } });
  expect([same.body, await noted()]).toEqual([changed.body, 2]);
  expect((await app.call('conversations.notes.delete', at(note.id))).status).toBe(204);
  expect([(await list()).items, await noted()]).toEqual([[], 3]);
  expect((await app.call('conversations.notes.delete', at(note.id))).status).toBe(404);
});

test('a person is named as the author', async () => {
  const { userId } = await person(app.em(), app.tenant.organizationId);
  const { headers } = await sessionHeaders(app.em(), userId, app.base);
  const made = await app.call('conversations.notes.create', { key: null, headers, ...at(), body: { body: 'By hand' } });
  expect(made.body.author).toBe(`user:${userId}`);
  await app.call('conversations.notes.delete', at(made.body.id));
});

test('newest first, by pages', async () => {
  for (const n of [1, 2, 3]) await write(`Note ${n}`);
  const first = await list({ limit: 2, include_total: true });
  expect(first.items.map(({ body }: Body) => body)).toEqual(['Note 3', 'Note 2']);
  expect(first.meta).toMatchObject({ has_more: true, limit: 2, total: 3 });
  const second = await list({ limit: 2, cursor: first.meta.next_cursor });
  expect(second.items.map(({ body }: Body) => body)).toEqual(['Note 1']);
});

test('with an Idempotency-Key it is written once, and its reply is gone with the person', async () => {
  const headers = { 'idempotency-key': 'note-1' };
  const about = { params: { conversationID: other.id }, body: { body: 'Once' }, headers };
  const [first, second] = [
    await app.call('conversations.notes.create', about),
    await app.call('conversations.notes.create', about),
  ];
  expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true']);
  expect(second.text).toBe(first.text);
  await app.call('contacts.delete', { params: { contactID: other.contactId } });
  expect((await app.call('conversations.notes.create', about)).status).toBe(404);
});

test.each([
  ['none', undefined],
  ['empty', ''],
  ['too long', 'x'.repeat(10_001)],
  ['no text', 7],
  ['null', null],
  ['with NUL', 'a\u0000b'],
])('a body that is %s: 422, and nothing is written', async (_what, body) => {
  const before = await list({ include_total: true });
  const refused = await write(body);
  expect([refused.status, refused.body.error.details[0]]).toMatchObject([422, { field: 'body', location: 'body' }]);
  expect(await list({ include_total: true })).toEqual(before);
});

describe('404', () => {
  test.each([stranger, 'no-uuid'])('a conversation that is %s', async (id) => {
    const body = { body: 'x' };
    const replies = await Promise.all([
      app.call('conversations.notes.list', at(undefined, id)),
      app.call('conversations.notes.get', at(stranger, id)),
      app.call('conversations.notes.create', { ...at(undefined, id), body }),
      app.call('conversations.notes.update', { ...at(stranger, id), body }),
      app.call('conversations.notes.delete', at(stranger, id)),
    ]);
    expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  });

  test("another conversation's note", async () => {
    const { body: note } = await write('Mine');
    const theirs = at(note.id, other.id);
    expect((await app.call('conversations.notes.get', theirs)).status).toBe(404);
    expect((await app.call('conversations.notes.update', { ...theirs, body: { body: 'Theirs' } })).status).toBe(404);
    expect((await app.call('conversations.notes.delete', theirs)).status).toBe(404);
    expect((await list()).items[0]).toEqual(note);
  });
});
