import { beforeAll, describe, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { bodyFor, inboundFrom, textFrom } from '../../support/provider-body.ts';
import { contactRows, duplicateRows, identityRows } from '../../support/work/contacts.ts';
import { conversationRows, messageRows } from '../../support/work/messages.ts';
import { providerWebhookRows } from '../../support/work/provider-webhooks.ts';
import { ago } from '../../support/work/rows.ts';

const app = useApp({ workers: true });
let channel: Channel;
beforeAll(async () => {
  channel = await app.connect();
});

async function applied(...bodies: object[]) {
  for (const body of bodies) expect((await app.webhook(body)).status).toBe(200);
  await app.idle();
  expect(await providerWebhookRows.all(app, { state: { $ne: 'applied' } }, ['errors'])).toEqual([]);
}
const system = (from: string, said: object, more: object = {}) =>
  bodyFor(channel, { messages: [{ ...textFrom(from, { ...more }), text: undefined, type: 'system', system: said }] });
const newNumber = (from: string, to: string, more: object = {}) =>
  system(from, { body: `User A changed from ${from} to ${to}`, wa_id: to, type: 'user_changed_number', ...more });
const writes = (phone: string, more = {}) => applied(bodyFor(channel, inboundFrom(phone, more)));

const identitiesOf = async (id: string) =>
  (await identityRows.all(app, { contact_id: id }, ['type', 'value'], { type: 'asc', value: 'asc' })).map(
    ({ type, value }) => `${type} ${value}`,
  );
const spelled = (phone: string) => [`messaging_app ${phone}`, `phone +${phone}`];
const ownerOf = async (value: string) =>
  (await identityRows.all(app, { value }, ['contact_id']))[0]?.contact_id as string | undefined;
const numberOf = async (id: string) => (await contactRows.one(app, id)).phone_number;
const updates = async (id: string) =>
  (await app.events(id)).filter(({ type }) => type === 'contact.updated').map(({ data }) => data.changed);
const contacts = () => contactRows.count(app);
const pairsOf = async (id: string) =>
  (await duplicateRows.all(app, {}, ['contact_id', 'other_id', 'reason'])).filter(
    ({ contact_id, other_id }) => contact_id === id || other_id === id,
  );

describe('a new number', () => {
  test('is the contact’s instead of the old one, and the message is in their conversation', async () => {
    const [old, next] = [app.phone(), app.phone()];
    await writes(old);
    const id = (await ownerOf(old))!;
    const known = await contacts();
    await applied(newNumber(old, next));
    expect(await identitiesOf(id)).toEqual(spelled(next));
    expect(await numberOf(id)).toBe(`+${next}`);
    expect((await updates(id)).at(-1)).toEqual(['phone_number', 'identities']);
    const messages = await messageRows.all(app, { contact_id: id }, ['type', 'from_phone'], { id: 'asc' });
    expect(messages).toEqual(['text', 'system'].map((type) => ({ type, from_phone: old })));
    await writes(next);
    const conversations = (await messageRows.all(app, { contact_id: id })).map(({ conversation_id }) => conversation_id);
    expect(new Set(conversations).size).toBe(1);
    expect(await contacts()).toBe(known);
  });

  test('told twenty times is told once, even after the old number is another person’s', async () => {
    const [old, next] = [app.phone(), app.phone()];
    await writes(old);
    const id = (await ownerOf(old))!;
    const body = newNumber(old, next);
    const replies = await Promise.all(Array.from({ length: 20 }, () => app.webhook(body)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    await app.idle();
    expect((await updates(id)).filter((changed) => changed.includes('phone_number'))).toHaveLength(2);
    await writes(old);
    const heir = (await ownerOf(old))!;
    expect(heir).not.toBe(id);
    await applied(body);
    expect([await ownerOf(old), await ownerOf(next)]).toEqual([heir, id]);
    expect(await pairsOf(id)).toEqual([]);
    expect(await messageRows.count(app, { type: 'system', from_phone: old })).toBe(1);
  });

  test('of another contact: nothing is taken, and the two are listed', async () => {
    const [old, next] = [app.phone(), app.phone()];
    await writes(old);
    await writes(next);
    const [id, other] = [(await ownerOf(old))!, (await ownerOf(next))!];
    await applied(newNumber(old, next));
    expect([await identitiesOf(id), await identitiesOf(other)]).toEqual([spelled(old), spelled(next)]);
    expect(await pairsOf(id)).toEqual([{ contact_id: id, other_id: other, reason: 'number_changed' }]);
    expect((await messageRows.one(app, { type: 'system', from_phone: old })).contact_id).toBe(id);
  });

  test('of somebody we do not know: a contact by the new one', async () => {
    const [old, next] = [app.phone(), app.phone()];
    await applied(newNumber(old, next));
    expect(await ownerOf(old)).toBeUndefined();
    expect(await identitiesOf((await ownerOf(next))!)).toEqual(spelled(next));
  });

  test('and a new user id with it; other addresses stay, and the search finds by what there is', async () => {
    const [old, next, other] = [app.phone(), app.phone(), app.phone()];
    await writes(old, { from_user_id: `US.${old}` });
    const id = (await ownerOf(old))!;
    await app.call('contacts.identities.create', { params: { contactID: id }, body: { type: 'phone', value: `+${other}` } });
    await applied(newNumber(old, next, { user_id: `US.${next}`, previous_user_id: `US.${old}` }));
    expect(await identitiesOf(id)).toEqual([...spelled(next), ...spelled(other), `messaging_app_id US.${next}`].sort());
    const { search } = await contactRows.one(app, id, ['search']);
    expect(search.split('\n')).toEqual([expect.any(String), next, '', other]);
  });

  test('that is none changes nothing, and the message is kept', async () => {
    const old = app.phone();
    await writes(old);
    const id = (await ownerOf(old))!;
    for (const wa_id of ['', 'x', '1', old, null, {}]) await applied(system(old, { type: 'user_changed_number', wa_id }));
    expect(await identitiesOf(id)).toEqual(spelled(old));
    expect(await messageRows.count(app, { type: 'system', contact_id: id })).toBe(6);
  });
});

describe('a notice of the provider is nothing that the person wrote', () => {
  const notices: [string, (phone: string) => object][] = [
    ['user_changed_number', (phone) => newNumber(phone, app.phone())],
    ['customer_identity_changed', (phone) => system(phone, { body: 'User A changed', type: 'customer_identity_changed' })],
  ];
  const conversationOf = async (id: string) =>
    conversationRows.one(app, { contact_id: id }, ['id', 'status', 'unread_count', 'last_inbound_at']);

  test.each(notices)('%s: no window, nothing unread, and a resolved conversation stays so', async (_, notice) => {
    const phone = app.phone();
    await writes(phone);
    const contactId = (await ownerOf(phone))!;
    const { id } = await conversationOf(contactId);
    await conversationRows.change(app, id, { status: 'resolved', unread_count: 0, last_inbound_at: ago('2 days') });
    const before = await conversationOf(contactId);
    await applied(notice(phone));
    expect(await conversationOf(contactId)).toEqual(before);
    expect(await messageRows.count(app, { type: 'system', conversation_id: id })).toBe(1);
    const told = (await app.events(id)).filter(({ type }) => type === 'conversation.updated').at(-1)!;
    expect(told.data).toMatchObject({ status: 'resolved', changed: ['preview'] });
  });

  test('a snoozed conversation sleeps on', async () => {
    const phone = app.phone();
    await writes(phone);
    const { id } = await conversationOf((await ownerOf(phone))!);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const body = { status: 'snoozed', snoozed_until: until };
    expect((await app.call('conversations.update', { params: { conversationID: id }, body })).status).toBe(200);
    await applied(newNumber(phone, app.phone()));
    const row = await conversationRows.one(app, id, ['status', 'snoozed_until']);
    expect(row.status).toBe('snoozed');
    expect(new Date(row.snoozed_until!).toISOString()).toBe(until);
  });
});

describe('a new user id', () => {
  const ids = () => [`US.${app.phone()}`, `US.${app.phone()}`] as const;
  const update = (value: object) => bodyFor(channel, { ...value }, 'user_id_update');
  const ways: [string, (phone: string, old: string, next: string) => object][] = [
    [
      'by a message',
      (phone, old, next) =>
        system(phone, { type: 'user_changed_user_id', user_id: next, previous_user_id: old }, { from_user_id: old }),
    ],
    ['by a change of its own', (_, old, next) => update({ user_id: next, previous_user_id: old })],
    ['by a list of changes', (_, old, next) => update({ user_id_update: [{ user_id: { previous: old, current: next } }] })],
  ];

  test.each(ways)('%s: instead of the old one, told twice', async (_, said) => {
    const [phone, [old, next]] = [app.phone(), ids()];
    await writes(phone, { from_user_id: old });
    const id = (await ownerOf(old))!;
    const body = said(phone, old, next);
    await applied(body, body);
    expect(await identitiesOf(id)).toEqual([`messaging_app ${phone}`, `messaging_app_id ${next}`, `phone +${phone}`]);
    expect(await numberOf(id)).toBe(`+${phone}`);
    expect((await updates(id)).slice(1)).toEqual([['identities']]);
  });

  test('of another contact: the two are listed, and a merge ends it', async () => {
    const [[one, two], [old, next]] = [[app.phone(), app.phone()], ids()];
    await writes(one, { from_user_id: old });
    await writes(two, { from_user_id: next });
    const [id, other] = [(await ownerOf(old))!, (await ownerOf(next))!];
    await applied(update({ user_id: next, previous_user_id: old }));
    expect([await ownerOf(old), await ownerOf(next)]).toEqual([id, other]);
    expect(await pairsOf(id)).toEqual([{ contact_id: id, other_id: other, reason: 'user_id_changed' }]);
    expect((await app.call('contacts.merge', { params: { contactID: id }, body: { contact_id: other } })).status).toBe(200);
    expect(await pairsOf(id)).toEqual([]);
    await applied(update({ user_id: next, previous_user_id: old }));
    expect([await ownerOf(old), await ownerOf(next)]).toEqual([undefined, id]);
  });
});

test('a message from addresses of two contacts: the older gets it, and the two are listed once', async () => {
  const [phone, userId] = [app.phone(), `US.${app.phone()}`];
  await writes(phone);
  const message = { ...textFrom('x'), from: undefined, from_user_id: userId };
  await applied(bodyFor(channel, { contacts: [{ user_id: userId }], messages: [message] }));
  const [id, other] = [(await ownerOf(phone))!, (await ownerOf(userId))!];
  await writes(phone, { from_user_id: userId });
  await writes(phone, { from_user_id: userId });
  expect(await pairsOf(id)).toEqual([{ contact_id: id, other_id: other, reason: 'same_person' }]);
  expect(await messageRows.count(app, { contact_id: id })).toBe(3);
});

test('messages that come while their contact is merged are all the survivor’s', async () => {
  const [one, two] = [app.phone(), app.phone()];
  await writes(one);
  await writes(two);
  const [id, other] = [(await ownerOf(one))!, (await ownerOf(two))!];
  const incoming = () => Array.from({ length: 8 }, () => app.webhook(bodyFor(channel, inboundFrom(two))));
  const [merged] = await Promise.all([
    app.call('contacts.merge', { params: { contactID: other }, body: { contact_id: id } }),
    ...incoming(),
    ...incoming(),
  ]);
  expect([merged.status, merged.body.data.id]).toEqual([200, id]);
  await app.idle();
  const messages = await messageRows.all(app, { from_phone: { $in: [one, two] } }, ['contact_id', 'conversation_id']);
  expect(messages).toHaveLength(18);
  expect(new Set(messages.map(({ contact_id }) => contact_id))).toEqual(new Set([id]));
  expect(new Set(messages.map(({ conversation_id }) => conversation_id)).size).toBe(1);
  expect(await providerWebhookRows.all(app, { state: { $ne: 'applied' } }, ['errors'])).toEqual([]);
  expect(await checkJobs(app.web.deps.database)).toEqual([]);
});
