import { beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { contactLock } from '../../../src/contacts/events.ts';
import { hashesOf } from '../../../src/contacts/permission/suppressed-addresses.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { contact } from '../../support/factories/contact.ts';
import { bodyFor, failure, inboundFrom, newId, statusOf } from '../../support/provider-body.ts';
import { testSecrets } from '../../support/secrets.ts';
import { waitFor } from '../../support/wait-for.ts';
import { templateRows } from '../../support/work/channels.ts';
import { identityRows, suppressedAddressRows } from '../../support/work/contacts.ts';
import { holdForever, releasePool } from '../../support/work/jobs.ts';
import { lockWaiters } from '../../support/work/locks.ts';
import { messageRows } from '../../support/work/messages.ts';
import { lastWebhook } from '../../support/work/provider-webhooks.ts';

/** What a person says against being written to: as a message, to the provider, and by a send that is refused. */
const app = useApp({ workers: true, workerEnv: { STOP_WORDS: 'STOP, Berhenti' } });
let channel: Channel;

beforeAll(async () => {
  channel = await app.connect();
});

async function applied(body: object) {
  // What the sandbox tells of messages that were sent before would be the latest row else.
  await app.settled();
  expect((await app.webhook(body)).status).toBe(200);
  await app.idle();
  const { state, errors } = await lastWebhook(app);
  return { state, errors };
}
const write = (phone: string, more: object = {}) => applied(bodyFor(channel, inboundFrom(phone, { ...more })));
const contactOf = async (phone: string): Promise<string> =>
  (await identityRows.one(app, { type: 'phone', value: `+${phone}` })).contact_id;
const read = async (what: string, contactID: string) =>
  (await app.call(`contacts.${what}.list`, { params: { contactID } })).body.data;
const statusIn = async (contactId: string) => (await read('consents', contactId))[0]?.status;
const changesOf = async (contactId: string) =>
  (await app.events(contactId)).filter(({ type }) => type === 'contact.updated').map(({ data }) => data.changed);
const put = (contactID: string, status: string) =>
  app.call('contacts.consents.put', { params: { contactID, channel: 'messaging_app' }, body: { status } });
const seconds = (fromNow = 0) => Math.floor(Date.now() / 1_000) + fromNow;

describe('a stop word', () => {
  test('suppresses, denies consent, is told once, and its repeat changes nothing', async () => {
    const { contactId, phone } = await app.conversation(channel);
    const id = newId();
    const body = bodyFor(channel, inboundFrom(phone, { id, text: { body: ' stop ' } }));
    expect(await applied(body)).toEqual({ state: 'applied', errors: null });
    const message = await messageRows.one(app, { provider_message_id: id }, ['id']);
    expect(await read('suppressions', contactId)).toEqual([
      expect.objectContaining({ channel: 'messaging_app', reason: 'unsubscribed', expires_at: null }),
    ]);
    const by = { actor: `contact:${contactId}`, source: 'message', proof: message.id };
    expect(await read('consents', contactId)).toEqual([
      expect.objectContaining({ channel: 'messaging_app', status: 'denied', source: 'message', proof: message.id }),
    ]);
    const history = await read('permission-history', contactId);
    expect(history).toEqual([
      expect.objectContaining({ ...by, kind: 'consent', state: 'denied' }),
      expect.objectContaining({ ...by, kind: 'suppression', state: 'suppressed', reason: 'unsubscribed' }),
    ]);
    expect(await changesOf(contactId)).toEqual([['consents', 'suppressions']]);
    expect((await app.text(channel, phone)).body.error.code).toBe('suppressed');
    await applied(body);
    await write(phone, { text: { body: 'STOP' } });
    expect(await read('permission-history', contactId)).toEqual(history);
    expect(await changesOf(contactId)).toHaveLength(1);
  });

  test.each([
    ['a text of another word', { text: { body: 'berhenti' } }],
    ['a template’s button', { type: 'button', text: undefined, button: { payload: 'STOP', text: 'No more' } }],
    [
      'a message’s button',
      {
        type: 'interactive',
        text: undefined,
        interactive: { type: 'button_reply', button_reply: { id: '1', title: 'Stop' } },
      },
    ],
  ])('as %s, from one who was not known', async (_what, more) => {
    const phone = app.phone();
    await write(phone, more);
    expect((await app.text(channel, phone)).body.error.code).toBe('suppressed');
  });

  test.each([
    ['in a sentence', { text: { body: 'Do not stop' } }],
    ['that is no longer configured', { text: { body: 'unsubscribe' } }],
  ])('%s is none', async (_what, more) => {
    const phone = app.phone();
    await write(phone, more);
    expect((await app.text(channel, phone)).status).toBe(201);
    expect(await read('permission-history', await contactOf(phone))).toEqual([]);
  });

  test('that the owner writes from the phone app is none', async () => {
    const phone = app.phone();
    const echo = { id: newId(), from: '1', to: phone, timestamp: String(seconds()), type: 'text', text: { body: 'STOP' } };
    await applied(bodyFor(channel, { message_echoes: [echo] }, 'smb_message_echoes'));
    expect(await read('permission-history', await contactOf(phone))).toEqual([]);
  });

  test('stays when it is told late, though consent was given since', async () => {
    const { contactId, phone } = await app.conversation(channel);
    await put(contactId, 'granted');
    await write(phone, { text: { body: 'STOP' }, timestamp: String(seconds(-600)) });
    expect(await statusIn(contactId)).toBe('granted');
    expect((await app.text(channel, phone)).body.error.code).toBe('suppressed');
  });
});

test('who was forgotten with a no and writes again comes back with it', async () => {
  const phone = app.phone();
  const { organizationId } = app.tenant;
  const [hash] = hashesOf(testSecrets, organizationId, [{ type: 'phone', source: '', value: `+${phone}` }]);
  await suppressedAddressRows.add(app, { organization_id: organizationId, hash, channel: 'all', reason: 'complaint' });
  await write(phone);
  expect(await read('suppressions', await contactOf(phone))).toEqual([
    expect.objectContaining({ channel: 'all', reason: 'complaint', expires_at: null }),
  ]);
  expect((await app.text(channel, phone)).body.error.code).toBe('suppressed');
});

describe('marketing stopped or resumed at the provider', () => {
  const preference = (phone: string, value: string, timestamp: number | string, more: object = {}) => ({
    wa_id: phone,
    detail: `User requested to ${value} marketing messages`,
    category: 'marketing_messages',
    value,
    timestamp,
    ...more,
  });
  const applyPreferences = (phone: string, ...preferences: object[]) =>
    applied(
      bodyFor(
        channel,
        { contacts: [{ profile: { name: 'Ada' }, wa_id: phone }], user_preferences: preferences },
        'user_preferences',
      ),
    );

  test('by one nobody knew: a contact with that consent, and only marketing stops', async () => {
    const phone = app.phone();
    expect(await applyPreferences(phone, preference(phone, 'stop', seconds(-60)))).toEqual({ state: 'applied', errors: null });
    const contactId = await contactOf(phone);
    expect((await app.call('contacts.get', { params: { contactID: contactId } })).body.data.name).toBe('Ada');
    const [change, ...more] = await read('permission-history', contactId);
    expect(more).toEqual([]);
    expect(change).toMatchObject({
      kind: 'consent',
      channel: 'messaging_app',
      state: 'denied',
      source: 'provider',
      actor: 'provider',
      proof: 'User requested to stop marketing messages',
    });
    expect(await read('suppressions', contactId)).toEqual([]);
    await templateRows.change(app, { channel_id: channel.id }, { category: 'utility' });
    await write(phone);
    expect((await app.text(channel, phone)).status).toBe(201);
  });

  test('stop, resume, and the repeats of both: each change once', async () => {
    const phone = app.phone();
    const [stop, resume] = [preference(phone, 'stop', seconds(-60)), preference(phone, 'resume', String(seconds(-30)))];
    for (const body of [stop, stop, resume, resume]) await applyPreferences(phone, body);
    const contactId = await contactOf(phone);
    expect((await read('permission-history', contactId)).map(({ state }: { state: string }) => state)).toEqual([
      'granted',
      'denied',
    ]);
    expect((await changesOf(contactId)).filter((changed) => changed.includes('consents'))).toHaveLength(2);
    expect((await read('consents', contactId))[0].changed_at).toBe(new Date(Number(resume.timestamp) * 1_000).toISOString());
  });

  test.each([
    [
      'an older resume after a stop',
      [
        ['stop', -30],
        ['resume', -60],
      ],
      'denied',
    ],
    [
      'an older stop after a resume',
      [
        ['resume', -30],
        ['stop', -60],
      ],
      'granted',
    ],
    [
      'a resume in the same second as a stop',
      [
        ['stop', -30],
        ['resume', -30],
      ],
      'denied',
    ],
    [
      'a stop in the same second as a resume',
      [
        ['resume', -30],
        ['stop', -30],
      ],
      'denied',
    ],
    [
      'a resume between two stops that came first',
      [
        ['stop', -60],
        ['stop', -30],
        ['resume', -45],
      ],
      'denied',
    ],
  ] as const)('%s', async (_what, said, wanted) => {
    const phone = app.phone();
    const at = seconds();
    for (const [value, fromNow] of said) await applyPreferences(phone, preference(phone, value, at + fromNow));
    expect(await statusIn(await contactOf(phone))).toBe(wanted);
  });

  test('before what the organization recorded since: passed over; after it: heard', async () => {
    const { contactId, phone } = await app.conversation(channel);
    await put(contactId, 'granted');
    await applyPreferences(phone, preference(phone, 'stop', seconds(-60)));
    expect(await statusIn(contactId)).toBe('granted');
    await applyPreferences(phone, preference(phone, 'stop', seconds(5)));
    expect(await statusIn(contactId)).toBe('denied');
  });

  test('by a user id alone', async () => {
    const { contactId, phone } = await app.conversation(channel);
    await applyPreferences(phone, preference(phone, 'stop', seconds(), { wa_id: undefined, user_id: `US.${phone}` }));
    expect(await statusIn(contactId)).toBe('denied');
  });

  test.each([
    ['of another kind', { category: 'calls' }, 'applied'],
    ['of another value', { value: 'pause' }, 'applied'],
    ['without a time', { timestamp: undefined }, 'broken'],
    ['of nobody', { wa_id: undefined }, 'broken'],
  ])('one %s changes nothing, and the next in the same body counts', async (_what, more, state) => {
    const [phone, next] = [app.phone(), app.phone()];
    const row = await applyPreferences(phone, preference(phone, 'stop', seconds(), more), preference(next, 'stop', seconds()));
    expect(row.state).toBe(state);
    expect(await identityRows.count(app, { value: `+${phone}` })).toBe(0);
    expect(await statusIn(await contactOf(next))).toBe('denied');
  });
});

describe('a send that the provider refuses with 131050', () => {
  const denied = { kind: 'consent', state: 'denied', source: 'provider', actor: 'provider' };

  test('at once: failed as the provider says, and consent denied', async () => {
    await app.fault(channel, { status: 400, code: 131050 });
    const { contactId, phone } = await app.conversation(channel);
    await put(contactId, 'granted');
    const { body } = await app.text(channel, phone);
    const row = await app.messageIn(body.data.id, 'failed');
    expect(row.failure).toMatchObject({ code: 'provider_refused', provider_code: '131050' });
    expect((await read('permission-history', contactId))[0]).toMatchObject({ ...denied, proof: body.data.id });
    expect(await changesOf(contactId)).toEqual([['consents'], ['consents']]);
    expect(await read('suppressions', contactId)).toEqual([]);
    expect((await app.text(channel, phone)).status).toBe(201);
  });

  test('while the database cannot note it: the answer is kept, and the message is not sent again', async () => {
    const { contactId, phone } = await app.conversation(channel);
    await app.rows('create sequence notes');
    await app.rows(
      `create function cannot_note() returns trigger language plpgsql as
       $$ begin perform nextval('notes'); raise exception using errcode = '53300'; end $$`,
    );
    await app.rows(
      `create trigger cannot_note before insert or update on contact_consents for each row
       when (new.contact_id = '${contactId}') execute function cannot_note()`,
    );
    await app.fault(channel, { status: 400, code: 131050 });
    const { body } = await app.text(channel, phone);
    const sent = async () => (await app.sends(channel)).filter((send) => send.body.to === phone).length;
    await waitFor('the send', async () => (await sent()) === 1);
    // A sequence counts what is rolled back, too.
    await waitFor('the note to fail again', async () => (await app.one('select last_value::int as tries from notes')).tries >= 3);
    expect((await app.message(body.data.id)).status).toBe('sending');
    await app.rows('drop function cannot_note cascade');
    expect((await app.messageIn(body.data.id, 'failed')).failure).toMatchObject({ provider_code: '131050' });
    expect((await read('permission-history', contactId))[0]).toMatchObject({ ...denied, proof: body.data.id });
    expect(await sent()).toBe(1);
  });

  test('by a failed status: the same, once however often it comes', async () => {
    await app.control('POST', '/behaviour', { auto_status: ['sent'] });
    const { contactId, phone } = await app.conversation(channel);
    const { body } = await app.text(channel, phone);
    const { provider_message_id } = await app.messageIn(body.data.id, 'sent');
    const status = statusOf(provider_message_id, 'failed', failure(131050, 'User has stopped marketing messages'));
    for (let time = 0; time < 2; time += 1) await applied(bodyFor(channel, { statuses: [status] }));
    expect((await app.message(body.data.id)).failure.provider_code).toBe('131050');
    const history = await read('permission-history', contactId);
    expect(history).toEqual([expect.objectContaining({ ...denied, proof: body.data.id })]);
    expect(await changesOf(contactId)).toEqual([['consents']]);
  });

  test.each([
    ['at once', true],
    ['by a failed status', false],
  ])('%s, while their contact becomes part of another: it is the other who refused', async (_how, isAtOnce) => {
    // No status of the sandbox's own: it would wait for the conversation too, and be a third who waits.
    await app.control('POST', '/behaviour', { auto_status: [] });
    const survivor = await contact(app.em(), app.tenant.organizationId);
    const { contactId, phone } = await app.conversation(channel);
    const pool = `channel:${channel.id}`;
    if (isAtOnce) {
      await app.fault(channel, { status: 400, code: 131050 });
      await holdForever(app, pool);
    }
    const { id } = (await app.text(channel, phone)).body.data;
    const sent = isAtOnce ? undefined : await app.messageIn(id, 'sent');
    const holder = new pg.Client({ connectionString: app.web.deps.config.databaseUrl });
    await holder.connect();
    await holder.query('select pg_advisory_lock(hashtextextended($1, 0))', [contactLock(contactId)]);
    const waiting = (count: number) => waitFor('the wait', async () => (await lockWaiters(app)).length === count);
    const merging = app.call('contacts.merge', { params: { contactID: survivor.id }, body: { contact_id: contactId } });
    await waiting(1);
    if (sent) await app.webhook(bodyFor(channel, { statuses: [statusOf(sent.provider_message_id, 'failed', failure(131050))] }));
    else {
      await releasePool(app, pool);
      await app.web.deps.ledger.fill({ organization_id: app.tenant.organizationId, id: pool });
    }
    await waiting(2);
    await holder.end();
    expect((await merging).status).toBe(200);
    await app.messageIn(id, 'failed');
    expect(await statusIn(survivor.id)).toBe('denied');
  });

  test('any other code says nothing of the person', async () => {
    await app.fault(channel, { status: 400, code: 131026 });
    const { contactId, phone } = await app.conversation(channel);
    const { body } = await app.text(channel, phone);
    await app.messageIn(body.data.id, 'failed');
    expect(await read('permission-history', contactId)).toEqual([]);
  });
});
