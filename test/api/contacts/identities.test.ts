import { describe, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { storedContacts, storedSuppressedAddresses, storedSuppressions } from '../../support/stored/contacts.ts';

const app = useApp({});
let last = 1_000;
const phone = () => {
  last += 1;
  return `+1650557${last}`;
};
const create = async (body: object) => (await app.call('contacts.create', { body })).body.data;
const add = (contactID: string, body: object) => app.call('contacts.identities.create', { params: { contactID }, body });
const list = async (contactID: string, query?: Record<string, string>) =>
  (await app.call('contacts.identities.list', { params: { contactID }, query })).body;
const remove = (contactID: string, identityID: string) =>
  app.call('contacts.identities.delete', { params: { contactID, identityID } });
const get = async (contactID: string) => (await app.call('contacts.get', { params: { contactID } })).body.data;
const lookUp = (type: string, value: string, source?: string) =>
  app.call('contacts.lookup', { body: { identifiers: [{ type, value, ...(source && { source }) }] } });
const spelled = (rows: { type: string; value: string }[]) => rows.map(({ type, value }) => `${type} ${value}`).sort();
const changes = async (id: string) => (await app.events(id)).map(({ data }) => data.changed);
const searched = async (id: string) => (await storedContacts.one(app, id)).search.split('\n');

describe('add', () => {
  test('a phone, in both spellings: it finds the contact, and is its own where it had none', async () => {
    const [number, email] = [phone(), `${last}@example.com`];
    const { id } = await create({ email });
    const added = await add(id, { type: 'phone', value: ` ${number.slice(1, 5)} ${number.slice(5)}` });
    expect([added.status, added.body.data]).toEqual([201, expect.objectContaining({ type: 'phone', source: '', value: number })]);
    expect(await get(id)).toMatchObject({ phone_number: number, email });
    expect(spelled((await list(id)).data)).toEqual([`email ${email}`, `messaging_app ${number.slice(1)}`, `phone ${number}`]);
    for (const type of ['phone', 'messaging_app']) expect((await lookUp(type, number)).body.data.id).toBe(id);
    expect((await changes(id)).at(-1)).toEqual(['phone_number', 'identities']);
  });

  test('a second phone and email are further ones, known to the search', async () => {
    const [first, second] = [phone(), phone()];
    const { id } = await create({ phone_number: first, email: `${first}@example.com` });
    expect((await add(id, { type: 'phone', value: second })).status).toBe(201);
    expect((await add(id, { type: 'email', value: 'Other@Example.com' })).body.data.value).toBe('other@example.com');
    expect(await get(id)).toMatchObject({ phone_number: first, email: `${first}@example.com` });
    expect((await searched(id)).sort()).toEqual(
      [' ', `${first}@example.com`, first.slice(1), 'other@example.com', second.slice(1)].sort(),
    );
  });

  test.each([
    ['messaging_app', '+1 (650) 555-9000', '16505559000', undefined],
    ['messaging_app_id', 'US.1a2b', 'US.1a2b', undefined],
    ['external_id', 'C-77', 'C-77', 'shop'],
  ])('%s', async (type, value, stored, source) => {
    const { id } = await create({ phone_number: phone() });
    const { status, body } = await add(id, { type, value, ...(source && { source }) });
    expect([status, body.data.value, body.data.source]).toEqual([201, stored, source ?? '']);
    expect((await lookUp(type, value, source)).body.data.id).toBe(id);
  });

  test('again: 200, the same one, and no event', async () => {
    const { id } = await create({ phone_number: phone() });
    const body = { type: 'email', value: `${last}@again.example.com` };
    const first = await add(id, body);
    const before = await changes(id);
    const again = await add(id, body);
    expect([first.status, again.status, again.body]).toEqual([201, 200, first.body]);
    expect(await changes(id)).toEqual(before);
  });

  test("another contact's: 409 with that one's id, and nothing changes", async () => {
    const [mine, theirs] = [phone(), phone()];
    const { id } = await create({ phone_number: mine });
    const { id: other } = await create({ phone_number: theirs });
    const refused = await add(id, { type: 'phone', value: theirs });
    expect([refused.status, refused.body.error.details[0]]).toEqual([
      409,
      expect.objectContaining({ field: 'value', value: other }),
    ]);
    expect((await list(id)).data).toHaveLength(2);
  });

  test('one asked for by twenty contacts at once is one’s', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => create({ phone_number: phone() }).then(({ id }) => id)));
    const replies = await Promise.all(ids.map((id) => add(id, { type: 'messaging_app_id', value: 'US.wanted' })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
  });

  test.each([
    ['no type', { value: 'x' }, 'type'],
    ['an unknown type', { type: 'fax', value: 'x' }, 'type'],
    ['no value', { type: 'email' }, 'value'],
    ['a phone nobody can have', { type: 'phone', value: '+1 23' }, 'value'],
    ['an app’s id without digits', { type: 'messaging_app', value: 'abc' }, 'value'],
    ['an email that is none', { type: 'email', value: 'nobody' }, 'value'],
    ['an external id without its source', { type: 'external_id', value: 'C-1' }, 'source'],
    ['an email with a source', { type: 'email', value: 'a@example.com', source: 'shop' }, 'source'],
    ['an app’s user id too long', { type: 'messaging_app_id', value: 'U'.repeat(129) }, 'value'],
  ])('%s: 422', async (_, body, field) => {
    const { id } = await create({ phone_number: phone() });
    const { status, body: reply } = await add(id, body);
    expect([status, reply.error.details[0].field]).toEqual([422, field]);
    expect((await list(id)).data).toHaveLength(2);
  });

  test('who was forgotten while suppressed is suppressed again', async () => {
    const number = phone();
    const { id } = await create({ email: `${last}@hash.example.com` });
    await storedSuppressedAddresses.add(app, {
      organization_id: app.tenant.organizationId,
      hash: app.web.deps.secrets.hash(`${app.tenant.organizationId}\nphone:${number.slice(1)}`),
      channel: 'all',
      reason: 'unsubscribed',
    });
    await add(id, { type: 'phone', value: number });
    expect(await storedSuppressions.all(app, { contact_id: id }, { columns: ['channel', 'reason'] })).toEqual([
      { channel: 'all', reason: 'unsubscribed' },
    ]);
  });
});

describe('remove', () => {
  const idOf = async (contactID: string, type: string, value?: string) =>
    (await list(contactID)).data.find(
      (one: { type: string; value: string }) => one.type === type && (!value || one.value === value),
    ).id;

  test('a phone goes with the app’s spelling, and the next phone is the contact’s own', async () => {
    const [first, second] = [phone(), phone()];
    const { id } = await create({ phone_number: first });
    await add(id, { type: 'phone', value: second });
    expect((await remove(id, await idOf(id, 'phone', first))).status).toBe(204);
    expect(spelled((await list(id)).data)).toEqual([`messaging_app ${second.slice(1)}`, `phone ${second}`]);
    expect((await get(id)).phone_number).toBe(second);
    expect((await lookUp('phone', first)).status).toBe(404);
    expect(await searched(id)).toEqual([' ', second.slice(1), '']);
    expect((await changes(id)).at(-1)).toEqual(['phone_number', 'identities']);
    const freed = await create({ phone_number: first });
    expect(freed.id).not.toBe(id);
  });

  test('without a next one the columns are empty', async () => {
    const number = phone();
    const { id } = await create({
      phone_number: number,
      email: `A${last}@Example.com`,
      external_source: 'shop',
      external_id: `R-${last}`,
    });
    expect((await remove(id, await idOf(id, 'email'))).status).toBe(204);
    expect((await remove(id, await idOf(id, 'external_id'))).status).toBe(204);
    expect(await get(id)).toMatchObject({ phone_number: number, email: '', external_source: '', external_id: '' });
  });

  test('the last one stays: 409', async () => {
    const { id } = await create({ phone_number: phone() });
    expect((await remove(id, await idOf(id, 'messaging_app'))).status).toBe(409);
    expect((await list(id)).data).toHaveLength(2);
  });

  test('one of another contact, or none: 404', async () => {
    const [one, other] = [await create({ phone_number: phone() }), await create({ phone_number: phone() })];
    expect((await remove(one.id, await idOf(other.id, 'phone'))).status).toBe(404);
    expect((await remove(one.id, one.id)).status).toBe(404);
  });
});

test('the list pages, and a contact nobody has is a 404', async () => {
  const { id } = await create({ phone_number: phone(), email: `${last}@page.example.com` });
  const first = await list(id, { limit: '2', include_total: 'true' });
  expect([first.data.length, first.meta.total, first.meta.has_more]).toEqual([2, 3, true]);
  const second = await list(id, { limit: '2', cursor: first.meta.next_cursor });
  expect(new Set([...first.data, ...second.data].map(({ id: each }) => each)).size).toBe(3);
  const params = { contactID: first.data[0].id };
  expect((await app.call('contacts.identities.list', { params })).status).toBe(404);
  expect((await add(params.contactID, { type: 'email', value: 'a@example.com' })).status).toBe(404);
});

test('an id in capitals is the same id', async () => {
  const { id } = await create({ phone_number: phone() });
  const params = { contactID: id.toUpperCase() };
  expect((await add(params.contactID, { type: 'email', value: `${last}@capitals.example.com` })).status).toBe(201);
  expect((await app.call('contacts.update', { params, body: { name: 'Ada' } })).body.data).toMatchObject({ id, name: 'Ada' });
  expect((await app.call('contacts.delete', { params })).status).toBe(204);
  expect((await app.events(id)).at(-1)).toMatchObject({ type: 'contact.deleted', data: { contact_id: id } });
});
