import { beforeAll, describe, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Channel, useApp } from '../../support/app.ts';

const app = useApp({});
let channel: Channel;
beforeAll(async () => {
  channel = await app.connect();
});

let last = 1_000;
const phone = () => {
  last += 1;
  return `+1650558${last}`;
};
const create = async (body: object = { phone_number: phone() }) => (await app.call('contacts.create', { body })).body.data;
const merge = (contactID: string, contact_id: string) =>
  app.call('contacts.merge', { params: { contactID }, body: { contact_id } });
const get = (contactID: string) => app.call('contacts.get', { params: { contactID } });
const eventsOf = async (id: string) => (await app.events(id)).map(({ type, data }) => [type, data.changed ?? data.merged_into]);
const sql = (text: string, ...params: unknown[]) => app.rows(text, params);
const holdPool = (held: boolean) =>
  sql(`update pools set held_until = ${held ? `'infinity'` : 'null'} where id = $1`, `channel:${channel.id}`);

describe('what becomes of two', () => {
  test('the older stays, whichever is in the path; what it lacks it takes from the other', async () => {
    const [first, second] = [phone(), phone()];
    const old = await create({ phone_number: first, name: 'Ann', custom_fields: { a: 1, both: 'old' } });
    const young = await create({
      phone_number: second,
      name: 'Anna',
      email: `${second}@example.com`,
      external_source: 'shop',
      external_id: second,
      custom_fields: { b: 2, both: 'young' },
    });
    const merged = await merge(young.id, old.id);
    expect([merged.status, merged.body.data]).toEqual([
      200,
      {
        ...old,
        email: `${second}@example.com`,
        external_source: 'shop',
        external_id: second,
        custom_fields: { a: 1, b: 2, both: 'old' },
        updated_at: expect.any(String),
      },
    ]);
    for (const number of [first, second]) {
      const { body } = await app.call('contacts.lookup', { body: { identifiers: [{ type: 'phone', value: number }] } });
      expect(body.data.id).toBe(old.id);
    }
    const { search } = await app.one('select search from contacts where id = $1', [old.id]);
    expect(search.split('\n')).toEqual([' ann', first.slice(1), `${second}@example.com`, second.slice(1)]);
    expect((await eventsOf(old.id)).at(-1)).toEqual([
      'contact.updated',
      ['email', 'external_source', 'external_id', 'custom_fields', 'identities'],
    ]);
    expect((await eventsOf(young.id)).at(-1)).toEqual(['contact.deleted', old.id]);
    const act = await app.one(`select subject, details from audit_log where action = 'contacts.merge' order by id desc limit 1`);
    expect(act).toEqual({ subject: `contact:${young.id}`, details: { contact_id: old.id } });
  });

  test('the other id is a 404 that names the survivor, also after that one was merged too', async () => {
    const [first, second, third] = [await create(), await create(), await create()];
    expect((await merge(second.id, third.id)).body.data.id).toBe(second.id);
    expect((await merge(second.id, first.id)).body.data.id).toBe(first.id);
    for (const { id } of [second, third]) {
      const reply = await get(id);
      expect([reply.status, reply.body.error.details[0].value]).toEqual([404, first.id]);
      const text = { channel_id: channel.id, contact_id: id, type: 'text', text: { body: 'Hello' } };
      const unsent = await app.call('messages.send', { body: text });
      expect([unsent.status, unsent.body.error.details[0]]).toMatchObject([404, { field: 'contact_id', value: first.id }]);
    }
  });

  test('asked again, either way round: 200, the survivor, and nothing more happens', async () => {
    const [old, young] = [await create(), await create()];
    const first = await merge(old.id, young.id);
    const before = await eventsOf(old.id);
    for (const again of [await merge(old.id, young.id), await merge(young.id, old.id)])
      expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await eventsOf(old.id)).toEqual(before);
  });

  test('tags and notes are united, and a listed pair is done; one with a third is the survivor’s', async () => {
    const [old, young, third] = [await create(), await create(), await create()];
    const tag = `with t as (insert into tags (id, organization_id, name) values (uuidv7(), $1, $2) on conflict (organization_id, fold(name)) do update set name = excluded.name returning id)
      insert into contact_tags (organization_id, contact_id, tag_id) select $1, $3, id from t`;
    const { organizationId } = app.tenant;
    for (const [name, id] of [
      ['both', old.id],
      ['both', young.id],
      ['hers', young.id],
    ])
      await sql(tag, organizationId, name, id);
    await sql(
      `insert into contact_notes (id, organization_id, contact_id, body, author) values (uuidv7(), $1, $2, 'One', 'cli'), (uuidv7(), $1, $3, 'Two', 'cli')`,
      organizationId,
      old.id,
      young.id,
    );
    const pair = `insert into contact_duplicates (id, organization_id, contact_id, other_id, reason) values (uuidv7(), $1, $2, $3, 'same_person')`;
    for (const [one, other] of [
      [old, young],
      [old, third],
      [young, third],
    ])
      await sql(pair, organizationId, one!.id, other!.id);
    const { body } = await merge(old.id, young.id);
    expect(body.data.tags).toEqual(['both', 'hers']);
    const notes = await sql('select body from contact_notes where contact_id = $1 order by body', old.id);
    expect(notes.map((note) => note.body)).toEqual(['One', 'Two']);
    expect(await sql('select contact_id, other_id from contact_duplicates where other_id = $1', third.id)).toEqual([
      { contact_id: old.id, other_id: third.id },
    ]);
    expect(await sql('select 1 from contact_duplicates where $1 in (contact_id, other_id)', young.id)).toEqual([]);
    expect((await eventsOf(old.id)).at(-1)).toEqual(['contact.updated', ['identities', 'notes', 'tags']]);
  });

  test('consent: the later decision, of two at once the stricter; suppression: the longer; both with history', async () => {
    const [old, young] = [await create(), await create()];
    const consent = (id: string, on: string, status: string, at: string) =>
      sql(
        `insert into contact_consents (id, organization_id, contact_id, channel, status, changed_at) values (uuidv7(), $1, $2, $3, $4, $5)`,
        ...[app.tenant.organizationId, id, on, status, at],
      );
    await consent(old.id, 'email', 'granted', '2026-01-01');
    await consent(young.id, 'email', 'denied', '2026-02-01');
    await consent(old.id, 'sms', 'granted', '2026-02-01');
    await consent(young.id, 'sms', 'denied', '2026-01-01');
    await consent(old.id, 'voice', 'granted', '2026-01-01');
    await consent(young.id, 'voice', 'denied', '2026-01-01');
    const suppress = (id: string, on: string, reason: string, until: string | null) =>
      sql(
        `insert into contact_suppressions (id, organization_id, contact_id, channel, reason, expires_at) values (uuidv7(), $1, $2, $3, $4, $5)`,
        ...[app.tenant.organizationId, id, on, reason, until],
      );
    await suppress(old.id, 'all', 'manual', '2030-01-01');
    await suppress(young.id, 'all', 'complaint', null);
    await suppress(old.id, 'email', 'bounced', null);
    await suppress(young.id, 'email', 'manual', '2030-01-01');
    await suppress(young.id, 'sms', 'manual', '2030-01-01');
    await merge(old.id, young.id);
    expect(await sql('select channel, status from contact_consents where contact_id = $1 order by channel', old.id)).toEqual([
      { channel: 'email', status: 'denied' },
      { channel: 'sms', status: 'granted' },
      { channel: 'voice', status: 'denied' },
    ]);
    expect(await sql('select channel, reason from contact_suppressions where contact_id = $1 order by channel', old.id)).toEqual([
      { channel: 'all', reason: 'complaint' },
      { channel: 'email', reason: 'bounced' },
      { channel: 'sms', reason: 'manual' },
    ]);
    const history = await sql(
      `select channel, state, source, actor from contact_permission_history where contact_id = $1 order by kind, channel`,
      old.id,
    );
    const actor = `key:${app.tenant.keyId}`;
    expect(history).toEqual([
      { channel: 'email', state: 'denied', source: 'merge', actor },
      { channel: 'voice', state: 'denied', source: 'merge', actor },
      { channel: 'all', state: 'suppressed', source: 'merge', actor },
      { channel: 'sms', state: 'suppressed', source: 'merge', actor },
    ]);
    expect((await eventsOf(old.id)).at(-1)![1]).toEqual(['identities', 'consents', 'suppressions']);
  });
});

describe('refused', () => {
  test('with itself: 422, in any spelling of the id', async () => {
    const { id } = await create();
    for (const spelled of [id, id.toUpperCase()]) {
      const { status, body } = await merge(id, spelled);
      expect([status, body.error.details[0].field]).toEqual([422, 'contact_id']);
    }
  });

  test('a malformed id: 404 in the path, 422 in the body', async () => {
    const { id } = await create();
    expect((await merge('nobody', id)).status).toBe(404);
    expect((await merge(id, 'nobody')).status).toBe(422);
  });

  test('nobody, and another organization’s contact: 404 either way', async () => {
    const { id } = await create();
    const stranger = await app.organization();
    const body = { phone_number: phone() };
    const { id: theirs } = (await app.call('contacts.create', { key: stranger.key, body })).body.data;
    for (const none of ['01932d5f-3a0e-7cc4-8f4e-0242ac120004', theirs])
      for (const reply of [await merge(id, none), await merge(none, id)])
        expect([reply.status, reply.body.error.message, reply.body.error.details]).toEqual([404, 'Contact not found', null]);
    expect((await get(id)).status).toBe(200);
  });

  test('one that became part of a third: 404 that names it', async () => {
    const [first, second, third] = [await create(), await create(), await create()];
    await merge(first.id, second.id);
    for (const reply of [await merge(second.id, third.id), await merge(third.id, second.id)])
      expect([reply.status, reply.body.error.details[0].value]).toEqual([404, first.id]);
  });

  test('custom fields too large together: 422, and both stay', async () => {
    const big = (name: string) => create({ phone_number: phone(), custom_fields: { [name]: 'x'.repeat(10_000) } });
    const [old, young] = [await big('a'), await big('b')];
    const { status, body } = await merge(old.id, young.id);
    expect([status, body.error.details[0].field]).toEqual([422, 'custom_fields']);
    expect((await get(young.id)).body.data).toEqual(young);
  });
});

describe('conversations on one channel', () => {
  /** Two contacts with a conversation each, and messages accepted while nothing may be sent: one waits, the others behind it. */
  async function talks(ofOld: number, ofYoung: number) {
    await holdPool(true);
    const [old, young] = [await app.conversation(channel), await app.conversation(channel)];
    const ids: string[] = [];
    for (const [{ phone: to }, count] of [
      [old, ofOld],
      [young, ofYoung],
    ] as const)
      for (let n = 0; n < count; n += 1) ids.push((await app.text(channel, to)).body.data.id);
    return { old, young, ids };
  }
  const jobsOf = (ids: string[]) => sql('select lane, state from jobs where subject_id = any($1) order by seq', ids);
  const lane = ({ id }: { id: string }) => `conversation:${id}`;

  test('become one: messages, what is newest, and the jobs behind the lane’s own', async () => {
    const { old, young, ids } = await talks(1, 2);
    await sql(`update conversations set status = 'resolved', profile_name = 'Old', profile_phone = '1' where id = $1`, old.id);
    await sql(`update conversations set profile_name = 'Young' where id = $1`, young.id);
    const [{ last_message_at }] = await sql('select last_message_at from conversations where id = $1', young.id);
    expect((await merge(old.contactId, young.contactId)).status).toBe(200);
    expect(await jobsOf(ids)).toEqual(['waiting', 'blocked', 'blocked'].map((state) => ({ lane: lane(old), state })));
    const messages = await sql('select conversation_id, contact_id from messages where id = any($1)', ids);
    for (const message of messages) expect(message).toEqual({ conversation_id: old.id, contact_id: old.contactId });
    expect(await sql('select 1 from conversations where id = $1', young.id)).toEqual([]);
    expect(
      await app.one('select contact_id, status, last_message_at, profile_name, profile_phone from conversations where id = $1', [
        old.id,
      ]),
    ).toEqual({ contact_id: old.contactId, status: 'open', last_message_at, profile_name: 'Young', profile_phone: '1' });
    expect((await eventsOf(old.id)).at(-1)![0]).toBe('conversation.updated');
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('what the team did with the two is united, and an open one is not hidden by one that sleeps', async () => {
    const { old, young } = await talks(0, 0);
    const at = ({ id }: { id: string }) => ({ params: { conversationID: id } });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await app.call('conversations.update', {
      ...at(old),
      body: { snoozed_until: until, priority: 'low', tags: ['Angry', 'Moved'] },
    });
    const body = { priority: 'high', tags: ['angry', 'Refund'], custom_fields: { a: 1 } };
    await app.call('conversations.update', { ...at(young), body });
    await sql('update conversations set unread_count = 2 where id = any($1)', [old.id, young.id]);
    await app.call('conversations.notes.create', { ...at(young), body: { body: 'Kept' } });
    expect((await merge(old.contactId, young.contactId)).status).toBe(200);
    expect((await app.call('conversations.get', at(old))).body).toMatchObject({
      status: 'open',
      snoozed_until: null,
      priority: 'high',
      tags: ['Angry', 'Moved', 'Refund'],
      custom_fields: { a: 1 },
      unread_count: 4,
    });
    const notes = (await app.call('conversations.notes.list', at(old))).body.items;
    expect(notes.map((note: { body: string }) => note.body)).toEqual(['Kept']);
    const changed = ['status', 'snoozed_until', 'priority', 'custom_fields', 'unread_count', 'tags', 'notes'];
    expect((await eventsOf(old.id)).at(-1)).toEqual(['conversation.updated', changed]);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('one that sleeps and ends has no job left; the other sleeps on beside it', async () => {
    const { old, young } = await talks(0, 0);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    for (const { id } of [old, young])
      await app.call('conversations.update', { params: { conversationID: id }, body: { snoozed_until: until } });
    expect((await merge(old.contactId, young.contactId)).status).toBe(200);
    expect(await sql('select subject_id from jobs where subject_id = any($1)', [old.id, young.id])).toEqual([
      { subject_id: old.id },
    ]);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('what the person told of themselves is from whichever they wrote to last, whoever was written to since', async () => {
    const { old, young } = await talks(1, 0);
    await sql(`update conversations set profile_phone = $2 where id = $1`, old.id, old.phone);
    await sql(`update conversations set profile_phone = $2 where id = $1`, young.id, young.phone);
    expect((await merge(old.contactId, young.contactId)).status).toBe(200);
    expect(await app.one('select profile_phone, preview from conversations where id = $1', [old.id])).toEqual({
      profile_phone: young.phone,
      preview: 'Hello',
    });
    const { body } = await app.call('messages.send', {
      body: { channel_id: channel.id, contact_id: old.contactId, type: 'text', text: { body: 'Hello' } },
    });
    expect(body.data.to_phone).toBe(young.phone);
  });

  test('into a lane without work: its first one waits, the others stay behind it', async () => {
    const { old, young, ids } = await talks(0, 3);
    expect((await merge(young.contactId, old.contactId)).status).toBe(200);
    expect(await jobsOf(ids)).toEqual(['waiting', 'blocked', 'blocked'].map((state) => ({ lane: lane(old), state })));
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test.each([
    ['handed to the queue', `update jobs set state = 'queued' where subject_id = $1`],
    [
      'with the provider, its outcome unknown',
      `update messages set status = 'sending', sending_at = clock_timestamp() where id = $1`,
    ],
  ])('a message %s: 409, try again, and nothing has changed', async (_, statement) => {
    const { old, young, ids } = await talks(1, 2);
    await sql(statement, ids[1]);
    const before = await jobsOf(ids);
    const refused = await merge(old.contactId, young.contactId);
    expect([refused.status, refused.headers.get('retry-after'), refused.body.error.message]).toEqual([
      409,
      '1',
      'A message is being sent; try again',
    ]);
    expect(await jobsOf(ids)).toEqual(before);
    expect((await get(young.contactId)).status).toBe(200);
    await sql(`update messages set status = 'queued', sending_at = null where id = $1`, ids[1]);
    await sql(`update jobs set state = 'waiting' where subject_id = $1`, ids[1]);
    expect((await merge(old.contactId, young.contactId)).status).toBe(200);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('what the survivor sends goes on: its lane keeps its head', async () => {
    const { old, young, ids } = await talks(1, 1);
    await sql(`update jobs set state = 'queued' where subject_id = $1`, ids[0]);
    expect((await merge(old.contactId, young.contactId)).status).toBe(200);
    expect((await jobsOf(ids)).map(({ state }) => state)).toEqual(['queued', 'blocked']);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('a failed message is retried in the lane it is in then', async () => {
    const { old, young, ids } = await talks(1, 1);
    await sql(`update jobs set state = 'failed', error = '{"code":"no","message":"no"}' where subject_id = $1`, ids[1]);
    await sql(`update messages set status = 'failed', failure = '{"code":"no","message":"no"}' where id = $1`, ids[1]);
    expect((await merge(old.contactId, young.contactId)).status).toBe(200);
    const retried = await app.call('messages.retry', { params: { messageID: ids[1]! }, body: {} });
    expect([retried.status, retried.body.data.conversation_id]).toEqual([200, old.id]);
    expect(await jobsOf(ids)).toEqual(['waiting', 'blocked'].map((state) => ({ lane: lane(old), state })));
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('one alone changes hands with its lane, whatever its jobs do', async () => {
    await holdPool(true);
    const old = await create();
    const young = await app.conversation(channel);
    const id = (await app.text(channel, young.phone)).body.data.id;
    await sql(`update jobs set state = 'queued' where subject_id = $1`, id);
    expect((await merge(old.id, young.contactId)).status).toBe(200);
    expect(await app.message(id)).toMatchObject({ conversation_id: young.id, contact_id: old.id });
    expect(await jobsOf([id])).toEqual([{ lane: lane(young), state: 'queued' }]);
  });
});

describe('at once with others', () => {
  test('the same merge ten times, from both sides: all 200, and it happened once', async () => {
    const [old, young] = [await create(), await create()];
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, n) => (n % 2 ? merge(old.id, young.id) : merge(young.id, old.id))),
    );
    expect(replies.map(({ status, body }) => [status, body.data.id])).toEqual(Array(10).fill([200, old.id]));
    expect((await eventsOf(young.id)).filter(([type]) => type === 'contact.deleted')).toHaveLength(1);
  });

  test('a ring of merges ends as one contact', async () => {
    const ring = [await create(), await create(), await create(), await create()];
    const replies = await Promise.all(ring.map(({ id }, n) => merge(id, ring[(n + 1) % ring.length]!.id)));
    expect(replies.filter(({ status }) => status !== 200 && status !== 404)).toEqual([]);
    for (const { id } of ring.slice(1)) await merge(ring[0]!.id, id);
    const seen = await Promise.all(ring.map(async ({ id }) => (await get(id)).body));
    expect(seen.map((body) => body.data?.id ?? body.error.details[0].value)).toEqual(Array(4).fill(ring[0]!.id));
    expect(await sql('select count(*)::int as n from contact_identities where contact_id = $1', ring[0]!.id)).toEqual([{ n: 8 }]);
  });

  test('upserts of the one that goes: each address is one contact’s, and what was written is kept', async () => {
    const [first, second] = [phone(), phone()];
    const [old, young] = [await create({ phone_number: first }), await create({ phone_number: second })];
    const replies = await Promise.all([
      ...Array.from({ length: 5 }, (_, n) =>
        app.call('contacts.create', { body: { phone_number: second, custom_fields: { [`n${n}`]: n } } }),
      ),
      merge(old.id, young.id),
      ...Array.from({ length: 5 }, (_, n) =>
        app.call('contacts.create', { body: { phone_number: second, custom_fields: { [`m${n}`]: n } } }),
      ),
    ]);
    expect(replies.map(({ status }) => status)).toEqual(Array(11).fill(200));
    expect(Object.keys((await get(old.id)).body.data.custom_fields)).toHaveLength(10);
    expect(await sql('select distinct contact_id from contact_identities where value = any($1)', [first, second])).toEqual([
      { contact_id: old.id },
    ]);
  });

  test('sends to the one that goes: each accepted, and in the survivor’s conversation', async () => {
    await holdPool(true);
    const [old, young] = [await app.conversation(channel), await app.conversation(channel)];
    const sends = () => Array.from({ length: 5 }, () => app.text(channel, young.phone));
    const replies = await Promise.all([...sends(), merge(old.contactId, young.contactId), ...sends()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(10).fill(201)]);
    const messages = await sql('select distinct conversation_id, contact_id from messages where to_phone = $1', young.phone);
    expect(messages).toEqual([{ conversation_id: old.id, contact_id: old.contactId }]);
    const jobs = await sql(
      `select state, count(*)::int as n from jobs where lane = $1 group by state order by state`,
      `conversation:${old.id}`,
    );
    expect(jobs).toEqual([
      { state: 'blocked', n: 9 },
      { state: 'waiting', n: 1 },
    ]);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });
});
