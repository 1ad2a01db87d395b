import { beforeAll, describe, expect, test } from '@jest/globals';
import type { App, Body, Reply } from './app.ts';
import { person, sessionHeaders } from './factories/person.ts';

type Operation = 'list' | 'get' | 'create' | 'update' | 'delete';
type Request = Parameters<App['call']>[1];

/** What has notes: its endpoints, and how their replies show a note and a list. */
export type Notes = {
  operation: (name: Operation) => string;
  /** Two of the organization, of which each has notes of its own; `wrong` are ids of none, at which every request is a 404. */
  make(): Promise<{ id: string; other: string; wrong: string[] }>;
  params(id: string, noteId?: string): Record<string, string>;
  path(id: string): string;
  noteOf(body: Body): Body;
  listOf(body: Body): Body[];
  /** Fields of a note that only this kind has. */
  own?(id: string): object;
};

export const nobodysNote = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';

/** The rules that hold for notes, whatever has them. */
export function describeNotes(app: App, notes: Notes): void {
  let made: Awaited<ReturnType<Notes['make']>>;
  beforeAll(async () => {
    made = await notes.make();
  });
  const act = (name: Operation, noteId?: string, more: Request = {}, id = made.id): Promise<Reply> =>
    app.call(notes.operation(name), { params: notes.params(id, noteId), ...more });
  const write = (body: unknown, headers?: Record<string, string>) => act('create', undefined, { body: { body }, headers });
  const list = async (query = {}): Promise<Body> => (await act('list', undefined, { query })).body;
  const listed = async (query = {}) => notes.listOf(await list(query));
  const updates = async () => (await app.events(made.id)).filter(({ data }) => data.changed?.includes('notes')).length;

  test('a note is written, read, listed, changed and deleted, each with its event', async () => {
    const text = '  Spaces stay\n\tand العربية 🎉 too ';
    const created = await write(text);
    expect(created.status).toBe(201);
    const note = notes.noteOf(created.body);
    expect(note).toMatchObject({ ...notes.own?.(made.id), body: text, author: `key:${app.tenant.keyId}` });
    expect(created.headers.get('location')).toBe(`${notes.path(made.id)}/${note.id}`);
    expect(await listed()).toEqual([note]);
    expect(notes.noteOf((await act('get', note.id)).body)).toEqual(note);
    const changed = await act('update', note.id, { body: { body: 'Better' } });
    const { id, author, created_at } = note;
    expect(notes.noteOf(changed.body)).toMatchObject({ id, body: 'Better', author, created_at });
    expect(await updates()).toBe(2);
    const same = await act('update', note.id, { body: { body: 'Better' } });
    expect(same.body).toEqual(changed.body);
    expect(await updates()).toBe(2);
    expect((await act('delete', note.id)).status).toBe(204);
    expect(await listed()).toEqual([]);
    expect(await updates()).toBe(3);
    expect((await act('delete', note.id)).status).toBe(404);
  });

  test('a person is named as the author', async () => {
    const { userId } = await person(app.em(), app.tenant.organizationId);
    const { headers } = await sessionHeaders(app.em(), userId, app.base);
    const created = await act('create', undefined, { key: null, headers, body: { body: 'By hand' } });
    const note = notes.noteOf(created.body);
    expect(note.author).toBe(`user:${userId}`);
    await act('delete', note.id);
  });

  test('newest first, by pages', async () => {
    for (const n of [1, 2, 3]) await write(`Note ${n}`);
    const first = await list({ limit: 2, include_total: true });
    expect(notes.listOf(first).map(({ body }) => body)).toEqual(['Note 3', 'Note 2']);
    expect(first.meta).toMatchObject({ has_more: true, limit: 2, total: 3 });
    const second = await listed({ limit: 2, cursor: first.meta.next_cursor });
    expect(second.map(({ body }) => body)).toEqual(['Note 1']);
  });

  test('an Idempotency-Key writes a note once', async () => {
    const headers = { 'idempotency-key': 'note-1' };
    const [first, second] = [await write('Once', headers), await write('Once', headers)];
    expect(first.status).toBe(201);
    expect(second.status).toBe(201);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(second.text).toBe(first.text);
  });

  test.each([
    ['none', undefined],
    ['empty', ''],
    ['too long', 'x'.repeat(10_001)],
    ['no text', 7],
    ['null', null],
    ['with NUL', 'a\u0000b'],
  ])('a body that is %s is a 422, and nothing is written', async (_what, body) => {
    const before = await list({ include_total: true });
    const refused = await write(body);
    expect(refused.status).toBe(422);
    expect(refused.body.error.details[0]).toMatchObject({ field: 'body', location: 'body' });
    expect(await list({ include_total: true })).toEqual(before);
  });

  test('10,000 characters are not too long', async () => {
    expect((await write('x'.repeat(10_000))).status).toBe(201);
  });

  describe('404', () => {
    test('every request about one of another organization, an unknown one or one that is no id', async () => {
      const body = { body: 'x' };
      for (const id of made.wrong) {
        const replies = await Promise.all([
          act('list', undefined, {}, id),
          act('get', nobodysNote, {}, id),
          act('create', undefined, { body }, id),
          act('update', nobodysNote, { body }, id),
          act('delete', nobodysNote, {}, id),
        ]);
        expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
      }
    });

    test('a note of another one of the organization', async () => {
      const note = notes.noteOf((await write('Mine')).body);
      expect((await act('get', note.id, {}, made.other)).status).toBe(404);
      expect((await act('update', note.id, { body: { body: 'Theirs' } }, made.other)).status).toBe(404);
      expect((await act('delete', note.id, {}, made.other)).status).toBe(404);
      expect((await listed())[0]).toEqual(note);
    });
  });
}
