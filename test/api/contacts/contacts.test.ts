import { describe, expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';

const app = useApp({});
let last = 1_000;
const phone = () => {
  last += 1;
  return `+1650556${last}`;
};
const create = (body: object) => app.call('contacts.create', { body });

describe('create', () => {
  test('a contact by phone, found by it with and without +, and by its id', async () => {
    const number = phone();
    const made = await create({ phone_number: number, name: 'Ada', email: 'Ada@Example.com', custom_fields: { tier: 'gold' } });
    expect(made.status).toBe(201);
    const { data } = made.body;
    expect(data).toMatchObject({ phone_number: number, name: 'Ada', email: 'Ada@Example.com', external_id: '', tags: [] });
    expect(made.headers.get('location')).toBe(`/v1/contacts/${data.id}`);
    for (const written of [number, number.slice(1), encodeURIComponent(number)]) {
      const { status, body } = await app.raw('GET', `/v1/contacts/phone/${written}`);
      expect([status, body.data.id]).toEqual([200, data.id]);
    }
    expect((await app.call('contacts.get', { params: { contactID: data.id } })).body).toEqual(made.body);
  });

  test('again: the same contact, given fields only, custom fields by name', async () => {
    const number = phone();
    const { data } = (await create({ phone_number: number, name: 'Ada', custom_fields: { a: 1, b: 2 } })).body;
    const again = await create({ phone_number: number, email: `${data.id}@example.com`, custom_fields: { b: null, c: 3 } });
    expect([again.status, again.body.data.id]).toEqual([200, data.id]);
    expect(again.body.data).toMatchObject({ name: 'Ada', email: `${data.id}@example.com`, custom_fields: { a: 1, c: 3 } });
    const unchanged = await create({ phone_number: number });
    expect(unchanged.body).toEqual(again.body);
    const empty = await create({
      phone_number: number,
      name: '',
      email: '',
      external_source: '',
      external_id: '',
      custom_fields: {},
    });
    expect(empty.body).toEqual(again.body);
  });

  test('identities of two contacts: 409 with both', async () => {
    const [one, two] = [phone(), phone()];
    const first = (await create({ phone_number: one })).body.data.id;
    const second = (await create({ phone_number: two, email: `${two}@example.com` })).body.data.id;
    const refused = await create({ phone_number: one, email: `${two}@example.com` });
    expect(refused.status).toBe(409);
    expect(refused.body.error.details.map(({ value }: { value: string }) => value)).toEqual([first, second].sort());
  });

  test('fifty at once end as one contact', async () => {
    const number = phone();
    const replies = await Promise.all(Array.from({ length: 50 }, (_, n) => create({ phone_number: number, name: `Ada ${n}` })));
    expect(new Set(replies.map(({ body }) => body.data.id)).size).toBe(1);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(49);
  });
});

test('patch changes what is given, and an email that is replaced finds nobody', async () => {
  const { data } = (await create({ phone_number: phone(), email: 'before@example.com' })).body;
  const patched = await app.call('contacts.update', { params: { contactID: data.id }, body: { email: 'after@example.com' } });
  expect(patched.body.data).toMatchObject({ id: data.id, email: 'after@example.com' });
  const find = (value: string) => app.call('contacts.lookup', { body: { identifiers: [{ type: 'email', value }] } });
  expect([(await find('before@example.com')).status, (await find('AFTER@example.com')).body.data.id]).toEqual([404, data.id]);
});

test('an email that is the last identity is not taken away: 409, and nothing is changed', async () => {
  const { data } = (await create({ email: 'alone@example.com', name: 'Ada' })).body;
  const params = { contactID: data.id };
  const refused = await app.call('contacts.update', { params, body: { email: '', name: 'Nobody' } });
  expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
  expect((await app.call('contacts.get', { params })).body.data).toEqual(data);
  await create({ email: 'alone@example.com', phone_number: phone() });
  const emptied = await app.call('contacts.update', { params, body: { email: '' } });
  expect([emptied.status, emptied.body.data.email]).toEqual([200, '']);
});

test('delete: 204, and then nobody', async () => {
  const { data } = (await create({ phone_number: phone() })).body;
  expect((await app.call('contacts.delete', { params: { contactID: data.id } })).status).toBe(204);
  expect((await app.call('contacts.get', { params: { contactID: data.id } })).status).toBe(404);
});
