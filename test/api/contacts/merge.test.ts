import { beforeAll, describe, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { storedActs } from '../../support/stored/accounts.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import {
  storedConsents,
  storedContactNotes,
  storedContacts,
  storedDuplicates,
  storedIdentities,
  storedPermissionHistory,
  storedSuppressions,
  tagContacts,
} from '../../support/stored/contacts.ts';
import { storedConversations, storedMessages } from '../../support/stored/messaging.ts';
import { now } from '../../support/stored/times.ts';

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
    const { search } = await storedContacts.one(app, old.id);
    expect(search.split('\n')).toEqual([' ann', first.slice(1), `${second}@example.com`, second.slice(1)]);
    expect((await eventsOf(old.id)).at(-1)).toEqual([
      'contact.updated',
      ['email', 'external_source', 'external_id', 'custom_fields', 'identities'],
    ]);
    expect((await eventsOf(young.id)).at(-1)).toEqual(['contact.deleted', old.id]);
    const [act] = await storedActs.all(
      app,
      { action: 'contacts.merge' },
      { columns: ['subject', 'details'], orderBy: ['id', 'desc'] },
    );
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
    const { organizationId: organization_id } = app.tenant;
    await tagContacts(app, organization_id, 'both', [old.id, young.id]);
    await tagContacts(app, organization_id, 'hers', [young.id]);
    for (const [contactID, body] of [
      [old.id, 'One'],
      [young.id, 'Two'],
    ])
      await app.call('contacts.notes.create', { params: { contactID }, body: { body } });
    for (const [one, other] of [
      [old, young],
      [old, third],
      [young, third],
    ])
      await storedDuplicates.add(app, { organization_id, contact_id: one!.id, other_id: other!.id, reason: 'same_person' });
    const { body } = await merge(old.id, young.id);
    expect(body.data.tags).toEqual(['both', 'hers']);
    const notes = await storedContactNotes.all(app, { contact_id: old.id }, { columns: ['body'], orderBy: 'body' });
    expect(notes.map((note) => note.body)).toEqual(['One', 'Two']);
    expect(await storedDuplicates.all(app, { other_id: third.id }, { columns: ['contact_id', 'other_id'] })).toEqual([
      { contact_id: old.id, other_id: third.id },
    ]);
    expect(await storedDuplicates.count(app, { contact_id: young.id })).toBe(0);
    expect(await storedDuplicates.count(app, { other_id: young.id })).toBe(0);
    expect((await eventsOf(old.id)).at(-1)).toEqual(['contact.updated', ['identities', 'notes', 'tags']]);
  });

  test('consent: the later decision, of two at once the stricter; suppression: the longer; both with history', async () => {
    const [old, young] = [await create(), await create()];
    const consent = (id: string, on: string, status: string, at: string) =>
      storedConsents.add(app, {
        organization_id: app.tenant.organizationId,
        contact_id: id,
        channel: on,
        status,
        changed_at: at,
      });
    await consent(old.id, 'email', 'granted', '2026-01-01');
    await consent(young.id, 'email', 'denied', '2026-02-01');
    await consent(old.id, 'sms', 'granted', '2026-02-01');
    await consent(young.id, 'sms', 'denied', '2026-01-01');
    await consent(old.id, 'voice', 'granted', '2026-01-01');
    await consent(young.id, 'voice', 'denied', '2026-01-01');
    const suppress = (id: string, on: string, reason: string, until: string | null) =>
      storedSuppressions.add(app, {
        organization_id: app.tenant.organizationId,
        contact_id: id,
        channel: on,
        reason,
        expires_at: until,
      });
    await suppress(old.id, 'all', 'manual', '2030-01-01');
    await suppress(young.id, 'all', 'complaint', null);
    await suppress(old.id, 'email', 'bounced', null);
    await suppress(young.id, 'email', 'manual', '2030-01-01');
    await suppress(young.id, 'sms', 'manual', '2030-01-01');
    await merge(old.id, young.id);
    expect(await storedConsents.all(app, { contact_id: old.id }, { columns: ['channel', 'status'], orderBy: 'channel' })).toEqual(
      [
        { channel: 'email', status: 'denied' },
        { channel: 'sms', status: 'granted' },
        { channel: 'voice', status: 'denied' },
      ],
    );
    expect(
      await storedSuppressions.all(app, { contact_id: old.id }, { columns: ['channel', 'reason'], orderBy: 'channel' }),
    ).toEqual([
      { channel: 'all', reason: 'complaint' },
      { channel: 'email', reason: 'bounced' },
      { channel: 'sms', reason: 'manual' },
    ]);
    const decisions = await storedPermissionHistory.all(app, { contact_id: old.id }, { orderBy: 'channel' });
    const history = decisions
      .toSorted((one, other) => one.kind.localeCompare(other.kind))
      .map(({ channel: on, state, source, actor }) => ({ channel: on, state, source, actor }));
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
    await app.hold(channel);
    const [old, young] = [await app.conversation(channel), await app.conversation(channel)];
    const ids: string[] = [];
    for (const [{ phone: to }, count] of [
      [old, ofOld],
      [young, ofYoung],
    ] as const)
      for (let n = 0; n < count; n += 1) ids.push((await app.text(channel, to)).body.data.id);
    return { old, young, ids };
  }
  const jobsOf = (ids: string[]) => storedJobs.all(app, { subject_id: ids }, { columns: ['lane', 'state'], orderBy: 'seq' });
  const lane = ({ id }: { id: string }) => `conversation:${id}`;

  test('become one: messages, what is newest, and the jobs behind the lane’s own', async () => {
    const { old, young, ids } = await talks(1, 2);
    await storedConversations.change(app, old.id, { status: 'resolved', profile_name: 'Old', profile_phone: '1' });
    await storedConversations.change(app, young.id, { profile_name: 'Young' });
    const [{ last_message_at }] = await storedConversations.all(app, young.id, { columns: ['last_message_at'] });
    expect((await merge(old.contactId, young.contactId)).status).toBe(200);
    expect(await jobsOf(ids)).toEqual(['waiting', 'blocked', 'blocked'].map((state) => ({ lane: lane(old), state })));
    const messages = await storedMessages.all(app, ids, { columns: ['conversation_id', 'contact_id'] });
    for (const message of messages) expect(message).toEqual({ conversation_id: old.id, contact_id: old.contactId });
    expect(await storedConversations.count(app, young.id)).toBe(0);
    expect(
      await storedConversations.one(app, old.id, ['contact_id', 'status', 'last_message_at', 'profile_name', 'profile_phone']),
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
    await storedConversations.change(app, { id: [old.id, young.id] }, { unread_count: 2 });
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
    expect(await storedJobs.all(app, { subject_id: [old.id, young.id] }, { columns: ['subject_id'] })).toEqual([
      { subject_id: old.id },
    ]);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('what the person told of themselves is from whichever they wrote to last, whoever was written to since', async () => {
    const { old, young } = await talks(1, 0);
    await storedConversations.change(app, old.id, { profile_phone: old.phone });
    await storedConversations.change(app, young.id, { profile_phone: young.phone });
    expect((await merge(old.contactId, young.contactId)).status).toBe(200);
    expect(await storedConversations.one(app, old.id, ['profile_phone', 'preview'])).toEqual({
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
    ['handed to the queue', (id: string) => storedJobs.change(app, { subject_id: id }, { state: 'queued' })],
    [
      'with the provider, its outcome unknown',
      (id: string) => storedMessages.change(app, id, { status: 'sending', sending_at: now() }),
    ],
  ])('a message %s: 409, try again, and nothing has changed', async (_, change) => {
    const { old, young, ids } = await talks(1, 2);
    await change(ids[1]!);
    const before = await jobsOf(ids);
    const refused = await merge(old.contactId, young.contactId);
    expect([refused.status, refused.headers.get('retry-after'), refused.body.error.message]).toEqual([
      409,
      '1',
      'A message is being sent; try again',
    ]);
    expect(await jobsOf(ids)).toEqual(before);
    expect((await get(young.contactId)).status).toBe(200);
    await storedMessages.change(app, ids[1], { status: 'queued', sending_at: null });
    await storedJobs.change(app, { subject_id: ids[1] }, { state: 'waiting' });
    expect((await merge(old.contactId, young.contactId)).status).toBe(200);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('what the survivor sends goes on: its lane keeps its head', async () => {
    const { old, young, ids } = await talks(1, 1);
    await storedJobs.change(app, { subject_id: ids[0] }, { state: 'queued' });
    expect((await merge(old.contactId, young.contactId)).status).toBe(200);
    expect((await jobsOf(ids)).map(({ state }) => state)).toEqual(['queued', 'blocked']);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('a failed message is retried in the lane it is in then', async () => {
    const { old, young, ids } = await talks(1, 1);
    await storedJobs.change(app, { subject_id: ids[1] }, { state: 'failed', error: { code: 'no', message: 'no' } });
    await storedMessages.change(app, ids[1], { status: 'failed', failure: { code: 'no', message: 'no' } });
    expect((await merge(old.contactId, young.contactId)).status).toBe(200);
    const retried = await app.call('messages.retry', { params: { messageID: ids[1]! }, body: {} });
    expect([retried.status, retried.body.data.conversation_id]).toEqual([200, old.id]);
    expect(await jobsOf(ids)).toEqual(['waiting', 'blocked'].map((state) => ({ lane: lane(old), state })));
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });

  test('one alone changes hands with its lane, whatever its jobs do', async () => {
    await app.hold(channel);
    const old = await create();
    const young = await app.conversation(channel);
    const id = (await app.text(channel, young.phone)).body.data.id;
    await storedJobs.change(app, { subject_id: id }, { state: 'queued' });
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
    expect(await storedIdentities.count(app, { contact_id: ring[0]!.id })).toBe(8);
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
    const owners = await storedIdentities.all(app, { value: [first, second] });
    expect([...new Set(owners.map(({ contact_id }) => contact_id))]).toEqual([old.id]);
  });

  test('sends to the one that goes: each accepted, and in the survivor’s conversation', async () => {
    await app.hold(channel);
    const [old, young] = [await app.conversation(channel), await app.conversation(channel)];
    const sends = () => Array.from({ length: 5 }, () => app.text(channel, young.phone));
    const replies = await Promise.all([...sends(), merge(old.contactId, young.contactId), ...sends()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(10).fill(201)]);
    const messages = await storedMessages.all(app, { to_phone: young.phone });
    expect(new Set(messages.map(({ conversation_id }) => conversation_id))).toEqual(new Set([old.id]));
    expect(new Set(messages.map(({ contact_id }) => contact_id))).toEqual(new Set([old.contactId]));
    const jobs = await storedJobs.all(app, { lane: `conversation:${old.id}` });
    expect(jobs.map(({ state }) => state).sort()).toEqual([...Array(9).fill('blocked'), 'waiting']);
    expect(await checkJobs(app.web.deps.database)).toEqual([]);
  });
});
