import { describe, expect, test } from '@jest/globals';
import { type Body, type Reply, useApp } from '../../support/app.ts';
import { type Definition, definitions } from '../../support/contract.ts';
import { storedState } from '../../support/stored.ts';
import { wrongBodies } from '../../support/wrong-values.ts';

const app = useApp({});
const create = (body: unknown) => app.call('contacts.create', { body });
const json = { 'content-type': 'application/json' };
/** As text, since JSON.stringify leaves out what a client can write. */
const createRaw = (body: string) => app.raw('POST', '/v1/contacts', { headers: json, body });
let last = 0;
const someone = () => {
  last += 1;
  return { external_source: 'test', external_id: `C-${last}` };
};
const contact = async (more: object = {}): Promise<Body> => (await create({ ...someone(), ...more })).body.data;

/** A 422 that names the field, after which all is as it was. */
async function refused(ask: () => Promise<Reply>, field: string): Promise<Reply> {
  const before = await storedState(app);
  const reply = await ask();
  expect([reply.status, reply.body.error?.code]).toEqual([422, 'invalid_request']);
  const fields: string[] = reply.body.error.details.map((detail: Body) => detail.field ?? '');
  expect(fields.filter((name) => name.startsWith(field))).not.toEqual([]);
  expect(await storedState(app)).toBe(before);
  return reply;
}

describe('phones, as people of their country write them', () => {
  test.each([
    ['Argentina', '+54 9 11 2345-6789'],
    ['Australia', '+61 412 345 678'],
    ['Austria', '+43 664 123456'],
    ['Bangladesh', '+880 1812-345678'],
    ['Belgium', '+32 470 12 34 56'],
    ['Brazil', '+55 11 96123-4567'],
    ['Canada', '+1 506-234-5678'],
    ['Chile', '+56 2 2123 4567'],
    ['China', '+86 131 2345 6789'],
    ['Colombia', '+57 321 1234567'],
    ['Egypt', '+20 100 123 4567'],
    ['France', '+33 6.12.34.56.78'],
    ['Germany', '+49 1512 3456789'],
    ['Great Britain', '+44 7400 123456'],
    ['India', '+91 81234 56789'],
    ['Indonesia', '+62 812-345-678'],
    ['Ireland', '+353 85 012 3456'],
    ['Israel', '+972 50-234-5678'],
    ['Italy', '+39 312 345 6789'],
    ['Japan', '+81 90-1234-5678'],
    ['Kenya', '+254 712 123456'],
    ['Malaysia', '+60 12-345 6789'],
    ['Mexico', '+52 55 1234 5678'],
    ['the Netherlands', '+31 6 12345678'],
    ['New Zealand', '+64 21 123 4567'],
    ['Nigeria', '+234 802 123 4567'],
    ['Pakistan', '+92 301 2345678'],
    ['Peru', '+51 912 345 678'],
    ['the Philippines', '+63 905 123 4567'],
    ['Poland', '+48 512 345 678'],
    ['Portugal', '+351 912 345 678'],
    ['Saudi Arabia', '+966 51 234 5678'],
    ['South Africa', '+27 71 123 4567'],
    ['South Korea', '+82 10-2000-0000'],
    ['Spain', '+34 612 34 56 78'],
    ['Sweden', '+46 70 123 45 67'],
    ['Switzerland', '+41 78 123 45 67'],
    ['Turkey', '+90 501 234 56 78'],
    ['Ukraine', '+380 50 123 4567'],
    ['the United Arab Emirates', '+971 50 123 4567'],
    ['the United States', '+1 (650) 555-1234'],
    ['Vietnam', '+84 91 234 56 78'],
  ])('%s: %s', async (_country, written) => {
    const digits = written.replace(/\D/g, '');
    const { status, body } = await create({ phone_number: written });
    expect([status, body.data.phone_number]).toEqual([201, `+${digits}`]);
    const again = await create({ phone_number: digits });
    expect([again.status, again.body.data.id]).toEqual([200, body.data.id]);
  });

  test.each([
    ['letters', 'call me'],
    ['a sign alone', '+'],
    ['a country alone', '+49'],
    ['too short', '+1650555'],
    ['too long', '+12345678901234567'],
    ['no such country', '+999 123456789'],
    ['of the United States, without its country', '(650) 555-1234'],
    ['the same as digits, which Singapore would have', '6505551234'],
    ['of Germany, without its country', '01512 3456789'],
    ['two numbers', '+4915123456789, +4915123456788'],
    ['an extension', '+49 1512 3456789 ext 5'],
    ['words on a keypad', '+1 800 FLOWERS'],
    ['two signs', '++4915123456789'],
  ])('%s: 422', async (_what, phone_number) => {
    await refused(() => create({ ...someone(), phone_number }), 'phone_number');
  });
});

test.each([
  [{ external_id: 'C-1' }, 'external_source'],
  [{ external_source: 'shop', email: 'half@example.com' }, 'external_id'],
])('%j: 422, which names the half that is missing', async (body, field) => {
  await refused(() => create(body), field);
});

describe('names and notes are kept as they were sent', () => {
  test.each([
    '👩‍👩‍👧‍👦 Familie',
    'فاطمة الزهراء',
    'שרה כהן',
    'a\u202eb',
    'e\u0301',
    'Robert"); drop table contacts; --',
    '%_\\',
    '<b>',
    '字'.repeat(200),
  ])('%s', async (name) => {
    const { id } = await contact({ name });
    const { body } = await app.call('contacts.get', { params: { contactID: id } });
    expect(body.data.name).toBe(name);
    const note = await app.call('contacts.notes.create', { params: { contactID: id }, body: { body: name } });
    expect(note.body.data.body).toBe(name);
  });
});

describe('custom fields', () => {
  const text = (bytes: number) => 'x'.repeat(bytes);
  const patch = (contactID: string, custom_fields: unknown) =>
    app.call('contacts.update', { params: { contactID }, body: { custom_fields } });

  test('any JSON is kept', async () => {
    const custom_fields = {
      text: 'ü 🎉',
      no: false,
      list: [1, null, { a: [] }],
      deep: { constructor: 'x', a: { b: {} } },
      'a b.c': 1.5,
    };
    const { id } = await contact({ custom_fields });
    expect((await app.call('contacts.get', { params: { contactID: id } })).body.data.custom_fields).toEqual(custom_fields);
  });

  test('more than 16 kB alone, or together with what is there: 422', async () => {
    await refused(() => create({ ...someone(), custom_fields: { a: text(16_384) } }), 'custom_fields');
    // In bytes, not in characters.
    await refused(() => create({ ...someone(), custom_fields: { a: '字'.repeat(6_000) } }), 'custom_fields');
    const who = { ...someone(), custom_fields: { a: text(10_000) } };
    const { data } = (await create(who)).body;
    await refused(() => patch(data.id, { b: text(10_000) }), 'custom_fields');
    await refused(() => create({ ...who, custom_fields: { b: text(10_000) } }), 'custom_fields');
    expect((await patch(data.id, { a: null, b: text(10_000) })).status).toBe(200);
  });

  test('a list of short values up to 16 kB can be changed as it was made: blanks the database writes do not count', async () => {
    const { id } = await contact({ custom_fields: { a: Array(8_000).fill(1) } });
    expect((await patch(id, { b: true })).status).toBe(200);
    await refused(() => patch(id, { b: text(1_000) }), 'custom_fields');
  });

  test('numbers count with all their digits: 2,300 times 1e300 is not 16 kB but 700', async () => {
    for (const number of [1e300, 1e-300, -1.5e21])
      await refused(() => create({ ...someone(), custom_fields: { a: Array(2_300).fill(number) } }), 'custom_fields');
    const { id } = await contact({ custom_fields: { a: Array(50).fill(1e300), b: '1e+300' } });
    await refused(() => patch(id, { c: Array(5).fill(1e300) }), 'custom_fields');
  });

  test('more than 200 names alone, or together with what is there: 422', async () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
    await refused(() => create({ ...someone(), custom_fields: many(201) }), 'custom_fields');
    const who = { ...someone(), custom_fields: many(200) };
    const { status, body } = await create(who);
    expect(status).toBe(201);
    await refused(() => patch(body.data.id, { another: 1 }), 'custom_fields');
    await refused(() => create({ ...who, custom_fields: { another: 1 } }), 'custom_fields');
    expect((await patch(body.data.id, { k0: null, another: 1 })).status).toBe(200);
  });

  test.each(['__proto__', 'constructor', 'prototype'])('the name %s: 422, and no object has changed', async (key) => {
    const { id } = await contact();
    const fields = `{"custom_fields": {"${key}": {"polluted": true}}`;
    await refused(() => createRaw(`${fields}, "external_source": "test", "external_id": "P"}`), 'custom_fields');
    const path = `/v1/contacts/${id}`;
    await refused(() => app.raw('PATCH', path, { headers: json, body: `${fields}}` }), 'custom_fields');
    const object: Record<string, unknown> = {};
    expect([object.polluted, object.constructor, Object.getPrototypeOf(object)]).toEqual([undefined, Object, Object.prototype]);
  });

  test('__proto__ within: 422', async () => {
    const body = '{"custom_fields": {"a": [{"__proto__": 1}]}, "external_source": "test", "external_id": "P"}';
    await refused(() => createRaw(body), 'custom_fields.a[0].__proto__');
  });

  test.each([
    ['empty', ''],
    ['too long', 'x'.repeat(129)],
    ['a control character', 'a\tb'],
    ['NUL', 'a\u0000b'],
    ['half a character', 'a\ud83d'],
    ['a blank at its end', 'a '],
    ['no-break space at its end', 'a\u00a0'],
  ])('a name that is or has %s: 422', async (_what, key) => {
    await refused(() => create({ ...someone(), custom_fields: { [key]: 1 } }), 'custom_fields');
  });

  test('nested too deep: 422, and a little less is kept', async () => {
    const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const body = (levels: number) => `{"external_source": "test", "external_id": "D", "custom_fields": ${deep(levels)}}`;
    await refused(() => createRaw(body(65)), 'custom_fields');
    await refused(() => createRaw(body(5_000)), 'custom_fields');
    const { status, body: beyond } = await createRaw(body(50_000));
    expect(status).toBe(422);
    expect(beyond.error.details).toEqual([{ location: 'body', code: 'body.values', message: expect.any(String) }]);
    expect((await createRaw(body(60))).status).toBe(201);
  });
});

/** Every endpoint of contacts that takes a body, whoever writes it: from its own schema and example. */
const taking = definitions.filter(
  ({ method, path, example, rawBodyBytes }) =>
    method !== 'get' && /^\/v1\/(contacts|tags)\b/.test(path) && !rawBodyBytes && typeof example?.body === 'object',
);
const ask = ({ operationId, example }: Definition, body: unknown) =>
  app.call(operationId, { params: example?.params ?? {}, body });

describe('every body, each field wrong in each way', () => {
  test('there is something to walk', () => {
    expect(taking.length).toBeGreaterThan(7);
  });

  test.each(taking.map((definition) => [definition.operationId, definition] as const))('%s', async (_id, definition) => {
    const before = await storedState(app);
    const wrong = [...wrongBodies(definition.body!.describe(), definition.example!.body as Record<string, unknown>)];
    expect(wrong.length).toBeGreaterThan(3);
    for (const { field, what, body } of wrong) {
      const reply = await ask(definition, body);
      const isLookup = definition.errorShape === 'lookup';
      const code = isLookup ? reply.body.code : reply.body.error?.code;
      expect([field, what, reply.status, code]).toEqual([field, what, 422, 'invalid_request']);
      const named = isLookup || reply.body.error.details.some((detail: Body) => detail.field?.startsWith(field));
      expect([field, what, named]).toEqual([field, what, true]);
    }
    for (const body of [[], 'text', 7, null]) expect([body, (await ask(definition, body)).status]).toEqual([body, 422]);
    expect(await storedState(app)).toBe(before);
  });
});

describe('every list, each parameter wrong', () => {
  const lists = definitions.filter(
    ({ method, path, query }) => method === 'get' && /^\/v1\/(contacts|tags)\b/.test(path) && query,
  );
  test.each(lists.map((definition) => [definition.operationId, definition] as const))(
    '%s',
    async (operationId, { example, query }) => {
      const { id } = await contact();
      const importID =
        example?.params?.importID && (await app.call('contacts.import', { body: 'email\nada@example.com\n' })).body.data.id;
      const params = { ...example?.params, ...(example?.params?.contactID && { contactID: id }), ...(importID && { importID }) };
      const known = Object.keys((query!.describe() as { keys: object }).keys);
      const wrong: [string, string, number][] = [
        ['limit', '0', 422],
        ['limit', '101', 422],
        ['limit', '1.5', 422],
        ['limit', 'many', 422],
        ['cursor', 'nonsense', 400],
        ['cursor', Buffer.from('["x","2026-01-01T00:00:00Z","y"]').toString('base64url'), 400],
        ['cursor', 'x'.repeat(8193), 422],
        ['include_total', 'perhaps', 422],
        ['offset', '1', 422],
        ['nonsense', '1', 422],
        ['__proto__', '1', 422],
      ];
      for (const [name, value, status] of wrong.filter(
        ([key]) => known.includes(key) || !['limit', 'cursor', 'include_total'].includes(key),
      )) {
        const reply = await app.call(operationId, { params, query: Object.fromEntries([[name, value]]) });
        expect([name, value, reply.status]).toEqual([name, value, status]);
      }
    },
  );
});

test.each(['%00', '%F0%9F%8E%89', "1'%20or%20'1'='1", '..%2F..', '0193', 'x'.repeat(2_000)])(
  'an id in a path that is %s is nobody’s: 404',
  async (text) => {
    for (const path of ['', '/notes', '/tags', '/campaign-history'])
      expect([path, (await app.raw('GET', `/v1/contacts/${text}${path}`)).status]).toEqual([path, 404]);
  },
);
