import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Reply, useApp } from '../../support/app.ts';
import { storedContacts, tagContacts } from '../../support/stored/contacts.ts';

const app = useApp({});
type Query = Record<string, string | number | boolean>;
const list = (query: Query = {}) => app.call('contacts.list', { query });
const filtered = (filters: unknown, more: Query = {}) => list({ filters: JSON.stringify(filters), limit: 100, ...more });
const refsOf = ({ body }: Reply): string[] => body.data.map(({ external_id }: Body) => external_id);
const found = (reply: Reply) => {
  expect(reply.status).toBe(200);
  return refsOf(reply).sort().join(' ');
};

const people: Record<string, object> = {
  jose: {
    name: 'José García',
    phone_number: '+16505551201',
    email: 'Jose.G@example.com',
    custom_fields: { tier: 'gold', score: 10 },
  },
  maria: { name: 'maria-josefa GARCIA', phone_number: '+16505551302', custom_fields: { tier: 'gold', score: 9, note: '' } },
  lukasz: {
    name: 'Łukasz Großmann',
    email: 'lukasz@büro.example',
    custom_fields: { tier: 'silver', score: '10', 'a.b': 'dotted' },
  },
  ivan: { name: 'Иван Петров', phone_number: '+4915112345678', custom_fields: { tier: 'Gold', vip: true, score: 1.5 } },
  wang: { name: '王芳', custom_fields: { tier: null, vip: false, list: ['gold'] } },
  emoji: { name: 'Zoë 😀 100%', email: '100%_zoe@example.com', custom_fields: { note: 'It is 100% o_o \\ fine' } },
  arabic: { name: 'محمد علي', custom_fields: { score: 1000 } },
  slash: { name: 'Back\\slash under_score', custom_fields: { note: 'x' } },
  agent: { name: 'Agent 007 Bo', phone_number: '+442071838750' },
  nobody: {},
};
const all = Object.keys(people).sort().join(' ');
const without = (...refs: string[]) =>
  Object.keys(people)
    .filter((ref) => !refs.includes(ref))
    .sort()
    .join(' ');
let ids: Record<string, string>;

beforeAll(async () => {
  ids = {};
  for (const [ref, fields] of Object.entries(people)) {
    const { status, body } = await app.call('contacts.create', {
      body: { ...fields, external_source: 'test', external_id: ref },
    });
    expect(status).toBe(201);
    ids[ref] = body.data.id;
  }
  const { organizationId } = app.tenant;
  for (const [tag, refs] of Object.entries({ VIP: ['jose', 'maria'], 'new lead': ['maria'], straße: ['lukasz'] }))
    await tagContacts(
      app,
      organizationId,
      tag,
      refs.map((ref) => ids[ref]!),
    );
  // Within one millisecond and at the very same moment.
  let number = 0;
  for (const ref of Object.keys(people)) {
    await storedContacts.change(app, ids[ref], {
      created_at: `2026-01-01T10:00:00.00000${Math.floor(number / 2)}Z`,
      updated_at: '2026-02-01T00:00:00Z',
    });
    number += 1;
  }
  await storedContacts.change(app, ids.jose, { created_at: '2026-03-01T10:00:00.123456Z' });
});

describe('the page', () => {
  test('newest first, each as it is read alone, and the number of all when asked', async () => {
    const { body } = await list({ limit: 1, include_total: true });
    expect(body.data).toEqual([(await app.call('contacts.get', { params: { contactID: ids.jose! } })).body.data]);
    expect(body.meta).toEqual({ has_more: true, limit: 1, next_cursor: expect.any(String), total: 10 });
    expect((await filtered([{ field: 'tags', value: 'VIP' }], { limit: 1, include_total: true })).body.meta.total).toBe(2);
    expect((await list({ search: 'garcia', include_total: true })).body.meta.total).toBe(2);
  });

  test.each(['created_at', '-created_at', 'name', '-name,created_at', 'updated_at,-name', '-updated_at,created_at,-name'])(
    'sorted by %s every one comes once',
    async (sort) => {
      const whole = refsOf(await list({ sort, limit: 100 }));
      expect([...whole].sort().join(' ')).toBe(all);
      const walked: string[] = [];
      for (let cursor = ''; ; ) {
        const reply = await list({ sort, limit: 3, ...(cursor && { cursor }) });
        walked.push(...refsOf(reply));
        cursor = reply.body.meta.next_cursor ?? '';
        if (!cursor) break;
      }
      expect(walked).toEqual(whole);
    },
  );

  test('another organization sees its own alone', async () => {
    const stranger = await app.organization();
    await app.call('contacts.create', { key: stranger.key, body: { phone_number: '+16505551201', name: 'José García' } });
    const theirs = async (query: Query) => (await app.call('contacts.list', { key: stranger.key, query })).body.data;
    const queries: Query[] = [{}, { search: 'garcia' }, { filters: JSON.stringify([{ field: 'name', value: 'José García' }]) }];
    for (const query of queries) {
      const data = await theirs(query);
      expect(data).toHaveLength(1);
      expect(Object.values(ids)).not.toContain(data[0].id);
    }
    const { next_cursor: cursor } = (await list({ limit: 1 })).body.meta;
    for (const { id } of await theirs({ cursor })) expect(Object.values(ids)).not.toContain(id);
    expect(await theirs({ filters: JSON.stringify([{ field: 'id', value: ids.jose }]) })).toEqual([]);
    expect(await theirs({ filters: JSON.stringify([{ field: 'tags', value: 'VIP' }]) })).toEqual([]);
  });
});

describe('filters', () => {
  const name = (operator: string, value?: unknown) => [{ field: 'name', operator, value }];
  const custom = (key: string, operator: string, value?: unknown) => [{ field: `custom_fields.${key}`, operator, value }];
  const tags = (operator: string, value?: unknown) => [{ field: 'tags', operator, value }];
  const created = (operator: string, value: unknown) => [{ field: 'created_at', operator, value }];

  test.each<[string, unknown, string]>([
    ['none', [], all],
    ['no operator', [{ field: 'external_id', value: 'wang' }], 'wang'],
    ['text eq, exactly', name('eq', 'Иван Петров'), 'ivan'],
    ['text eq in another case', name('eq', 'иван петров'), ''],
    ['text neq', name('neq', ''), without('nobody')],
    ['text in', name('in', ['王芳', 'Иван Петров', 'x']), 'ivan wang'],
    ['text not_in', name('not_in', ['王芳', 'Иван Петров']), without('ivan', 'wang')],
    ['text gt', name('gt', 'Łukasz Großmann'), 'arabic ivan wang'],
    ['text gte', name('gte', 'Łukasz Großmann'), 'arabic ivan lukasz wang'],
    ['text lt', name('lt', 'Agent 007 Bo'), 'nobody'],
    ['text lte', name('lte', 'Agent 007 Bo'), 'agent nobody'],
    ['text between', name('between', ['A', 'C']), 'agent slash'],
    ['contains, in any case', name('contains', 'GARCI'), 'maria'],
    ['contains, of other letters', name('contains', 'ПЕТР'), 'ivan'],
    ['not_contains', name('not_contains', 'a'), without('agent', 'jose', 'maria', 'lukasz', 'slash')],
    ['starts_with', name('starts_with', 'MARIA'), 'maria'],
    ['ends_with', name('ends_with', 'garcia'), 'maria'],
    ['folds a sharp s', name('contains', 'GROSS'), 'lukasz'],
    ['% is a character', name('contains', '0%'), 'emoji'],
    ['% alone', name('contains', '%'), 'emoji'],
    ['_ is a character', name('contains', 'r_s'), 'slash'],
    ['\\ is a character', name('contains', '\\'), 'slash'],
    ['\\ at the end', name('ends_with', 'slash\\'), ''],
    ['is_empty', name('is_empty'), 'nobody'],
    ['is_not_empty', [{ field: 'phone_number', operator: 'is_not_empty' }], 'agent ivan jose maria'],
    ['email as it was given', [{ field: 'email', value: 'Jose.G@example.com' }], 'jose'],
    ['SQL is text', name('eq', `' or true --`), ''],
    ['SQL in a key', custom(`x' or true --`, 'is_not_empty'), ''],
    ['email of other letters', [{ field: 'email', value: 'lukasz@büro.example' }], 'lukasz'],
    ['email with wildcards', [{ field: 'email', value: '100%_zoe@example.com' }], 'emoji'],
    ['email in another case', [{ field: 'email', value: 'jose.g@example.com' }], 'jose'],
    ['one of some emails', [{ field: 'email', operator: 'in', value: ['x@y.example', 'JOSE.g@example.com'] }], 'jose'],
    ['another email', [{ field: 'email', operator: 'neq', value: 'Jose.G@example.com' }], without('jose')],
    ['no email', [{ field: 'email', value: '' }], without('jose', 'lukasz', 'emoji')],
    ['phone', [{ field: 'phone_number', value: '+16505551201' }], 'jose'],
    ['phone without its plus', [{ field: 'phone_number', value: '16505551201' }], 'jose'],
    ['phone spelled otherwise', [{ field: 'phone_number', operator: 'in', value: ['+1 (650) 555-1201'] }], 'jose'],
    ['how a phone begins', [{ field: 'phone_number', operator: 'starts_with', value: '1650555120' }], 'jose'],
    ['what is no phone', [{ field: 'phone_number', value: '' }], without('agent', 'ivan', 'jose', 'maria')],
    ['the beginning of a phone', [{ field: 'phone_number', value: '+1650555120' }], ''],
    ['another phone', [{ field: 'phone_number', operator: 'neq', value: '+16505551201' }], without('jose')],
    ['source', [{ field: 'external_source', operator: 'neq', value: 'test' }], ''],
    ['JSON eq text', custom('tier', 'eq', 'gold'), 'jose maria'],
    ['JSON eq number', custom('score', 'eq', 10), 'jose'],
    ['JSON eq the same digits as text', custom('score', 'eq', '10'), 'lukasz'],
    ['JSON eq boolean', custom('vip', 'eq', false), 'wang'],
    ['JSON eq is not within a list', custom('list', 'eq', 'gold'), ''],
    ['JSON neq, of those without one too', custom('tier', 'neq', 'gold'), without('jose', 'maria')],
    ['JSON in, of several types', custom('score', 'in', [10, '10', 9]), 'jose lukasz maria'],
    ['JSON not_in', custom('score', 'not_in', [10, '10', 9]), without('jose', 'lukasz', 'maria')],
    ['JSON gt of numbers, as numbers', custom('score', 'gt', 9), 'arabic jose'],
    ['JSON gte', custom('score', 'gte', 9), 'arabic jose maria'],
    ['JSON lt', custom('score', 'lt', 9.5), 'ivan maria'],
    ['JSON lte of texts, as texts', custom('score', 'lte', '9'), 'lukasz'],
    ['JSON between', custom('score', 'between', [1.5, 10]), 'ivan jose maria'],
    ['JSON contains', custom('note', 'contains', '100% O_O \\'), 'emoji'],
    ['JSON contains of a number', custom('score', 'contains', '1'), 'lukasz'],
    ['JSON not_contains', custom('tier', 'not_contains', 'gold'), without('jose', 'maria', 'ivan')],
    ['JSON starts_with', custom('tier', 'starts_with', 'GO'), 'ivan jose maria'],
    ['JSON ends_with', custom('tier', 'ends_with', 'ver'), 'lukasz'],
    ['JSON is_empty: none, null or no text', custom('note', 'is_empty'), without('emoji', 'slash')],
    ['JSON is_not_empty', custom('vip', 'is_not_empty'), 'ivan wang'],
    ['a dot within the key', custom('a.b', 'eq', 'dotted'), 'lukasz'],
    ['a key of the prototype', custom('__proto__', 'eq', 'x'), ''],
    ['another one', custom('constructor', 'is_not_empty'), ''],
    ['tags eq', tags('eq', 'VIP'), 'jose maria'],
    ['tags eq, in another case', tags('eq', 'vip'), 'jose maria'],
    ['tags neq', tags('neq', 'VIP'), without('jose', 'maria')],
    ['tags in', tags('in', ['NEW léad', 'strasse']), 'lukasz maria'],
    ['tags not_in', tags('not_in', ['VIP', 'straße']), without('jose', 'maria', 'lukasz')],
    ['tags contains', tags('contains', 'STRASS'), 'lukasz'],
    ['tags not_contains', tags('not_contains', 'lead'), without('maria')],
    ['tags starts_with', tags('starts_with', 'v'), 'jose maria'],
    ['tags ends_with', tags('ends_with', 'LEAD'), 'maria'],
    ['tags is_empty', tags('is_empty'), without('jose', 'maria', 'lukasz')],
    ['tags is_not_empty', tags('is_not_empty'), 'jose lukasz maria'],
    ['the millisecond that is shown', created('eq', '2026-03-01T10:00:00.123Z'), 'jose'],
    ['the microsecond that is stored', created('eq', '2026-03-01T10:00:00.123456Z'), 'jose'],
    ['another microsecond', created('eq', '2026-03-01T10:00:00.123457Z'), ''],
    ['time neq', created('neq', '2026-03-01T10:00:00.123Z'), without('jose')],
    ['time in', created('in', ['2026-03-01T10:00:00.123Z', '2025-01-01']), 'jose'],
    ['time not_in', created('not_in', ['2026-03-01T10:00:00.123Z']), without('jose')],
    ['time gt', created('gt', '2026-03-01T10:00:00.123Z'), ''],
    ['time gte', created('gte', '2026-03-01T10:00:00.123Z'), 'jose'],
    ['time lt', created('lt', '2026-03-01T10:00:00.123Z'), without('jose')],
    ['time lte', created('lte', '2026-03-01T10:00:00.123Z'), all],
    ['time between, of days', created('between', ['2026-03-01', '2026-03-02']), 'jose'],
    ['a time of another zone', created('gte', '2026-03-01T17:00:00+07:00'), 'jose'],
    ['all must hold', [...custom('tier', 'eq', 'gold'), ...tags('eq', 'new lead')], 'maria'],
  ])('%s', async (_what, filters, refs) => {
    expect(found(await filtered(filters))).toBe(refs);
  });

  test('an id', async () => {
    const byId = (operator: string, value: unknown) => filtered([{ field: 'id', operator, value }]);
    expect(found(await byId('eq', ids.wang))).toBe('wang');
    expect(found(await byId('neq', ids.wang))).toBe(without('wang'));
    expect(found(await byId('in', [ids.wang!.toUpperCase(), ids.jose]))).toBe('jose wang');
    expect(found(await byId('not_in', [ids.wang, ids.jose]))).toBe(without('jose', 'wang'));
  });

  test.each(['{"field": "name"}', 'null', '5', '[', '', 'name=Ada'])('%s is no JSON array: 400', async (filters) => {
    const { status, body } = await app.raw('GET', `/v1/contacts?filters=${encodeURIComponent(filters)}`);
    expect([status, body.error.code]).toEqual(filters ? [400, 'bad_request'] : [422, 'invalid_request']);
  });

  test('every fault is named at its place', async () => {
    const { status, body } = await filtered([
      { field: 'colour', value: 'red' },
      { field: 'name', value: 'Ada' },
      { field: 'name', operator: 'like', value: 'Ada' },
    ]);
    expect(status).toBe(422);
    expect(body.error.details).toMatchObject([
      { field: 'filters[0].field', location: 'query', code: 'any.only' },
      { field: 'filters[2].operator', location: 'query', code: 'any.only' },
    ]);
  });
});

describe('search', () => {
  test.each<[string, string]>([
    ['garcia', 'jose maria'],
    ['GARCÍA', 'jose maria'],
    ['arci', 'jose maria'],
    ['  jose   garcía ', 'jose maria'],
    ['garcia garcia', 'jose maria'],
    ['josefa', 'maria'],
    ['jo', 'jose'],
    ['ga', 'jose maria'],
    ['rc', ''],
    ['josé petrov', ''],
    ['lukasz grossmann', 'lukasz'],
    ['GROẞMANN', 'lukasz'],
    ['иван', 'ivan'],
    ['ПЕТРОВ', 'ivan'],
    ['етро', 'ivan'],
    ['ет', ''],
    ['王芳', 'wang'],
    ['王', 'wang'],
    ['芳', 'wang'],
    ['محمد', 'arabic'],
    ['علي', 'arabic'],
    ['😀', 'emoji'],
    ['zoe 😀', 'emoji'],
    ['ｇａｒｃｉａ', 'jose maria'],
    ['Jose\u0301', 'jose maria'],
    ['+16505551201', 'jose'],
    ['16505551', 'jose maria'],
    ['+1 (650) 555-12', 'jose'],
    ['1.650.555/13', 'maria'],
    ['65055512', ''],
    ['5551201', 'jose'],
    ['jose.g@EXAMPLE.com', 'jose'],
    ['jose.g', 'jose'],
    ['example.com', ''],
    ['lukasz@büro', 'lukasz'],
    ['100%_zoe', 'emoji'],
    ['007', 'agent'],
    ['0', 'agent'],
    ['007 bo', 'agent'],
    ['%', ''],
    ['_', ''],
    ['100%', 'emoji'],
    ['10_%', ''],
    ['___', ''],
    ['%%%', ''],
    ['\\', ''],
    ['k\\s', 'slash'],
    ['\\\\\\', ''],
    ['under_score', 'slash'],
    ['underXscore', ''],
    [`'; drop table contacts; --`, ''],
    [`' or '1'='1`, ''],
    ['320', ''],
    ['270', ''],
    ['1270', ''],
    ['\\320\\270', ''],
    ['', all],
  ])('%j', async (search, refs) => {
    expect(found(await list({ search, limit: 100 }))).toBe(refs);
  });

  test('a further phone and email of a contact find it, and those it has no more do not', async () => {
    const body = { external_source: 'test', external_id: 'moved', phone_number: '+33612345678', email: 'old@example.com' };
    const { data } = (await app.call('contacts.create', { body })).body;
    await app.call('contacts.create', { body: { ...body, phone_number: '+33687654321' } });
    expect(refsOf(await list({ search: '+33 6 12 34' }))).toEqual(['moved']);
    expect(refsOf(await list({ search: '+33 6 87' }))).toEqual(['moved']);
    await app.call('contacts.update', { params: { contactID: data.id }, body: { email: 'new@example.com' } });
    expect(refsOf(await list({ search: 'new@' }))).toEqual(['moved']);
    expect(refsOf(await list({ search: 'old@' }))).toEqual([]);
    await app.call('contacts.delete', { params: { contactID: data.id } });
    expect(refsOf(await list({ search: '+33' }))).toEqual([]);
  });

  test('longer than 200 characters: 422; a hundred words are answered', async () => {
    expect((await list({ search: 'x'.repeat(201) })).status).toBe(422);
    const words = Array.from({ length: 100 }, (_, index) => String.fromCodePoint(0x3400 + index)).join(' ');
    expect(found(await list({ search: words }))).toBe('');
  });
});

describe('a cursor', () => {
  const cursorFor = async (query: Query): Promise<string> => (await list({ limit: 1, ...query })).body.meta.next_cursor;
  const gold = JSON.stringify([{ field: 'custom_fields.tier', value: 'gold' }]);

  test.each<[string, Query, Query]>([
    ['another order', {}, { sort: 'created_at' }],
    ['another key', { sort: 'name' }, { sort: 'updated_at' }],
    ['filters', {}, { filters: gold }],
    ['other filters', { filters: gold }, { filters: gold.replace('gold', 'silver') }],
    ['no filters', { filters: gold }, {}],
    ['a search', {}, { search: 'garcia' }],
    ['another search', { search: 'garcia' }, { search: 'jose' }],
  ])('used with %s: 400', async (_what, first, then) => {
    const { status, body } = await list({ ...then, cursor: await cursorFor(first) });
    expect([status, body.error.code]).toEqual([400, 'bad_request']);
  });

  test('the same request in other words is the same list', async () => {
    const cursor = await cursorFor({ filters: gold, search: ' garcia ' });
    const filters = JSON.stringify([{ value: 'gold', operator: 'eq', field: 'custom_fields.tier' }]);
    expect((await list({ filters, search: 'garcia', sort: '-created_at', cursor })).status).toBe(200);
  });

  test('forged: 400', async () => {
    const [binding, time, id] = JSON.parse(Buffer.from(await cursorFor({}), 'base64url').toString());
    const named = JSON.parse(Buffer.from(await cursorFor({ sort: 'name' }), 'base64url').toString());
    const forged: [string, unknown][] = [
      ['', 'x'],
      ['', [binding]],
      ['', [binding, time]],
      ['', [binding, time, id, id]],
      ['', [binding, id, time]],
      ['', [binding, '2026-02-30 10:00:00+00', id]],
      ['', [binding, 'infinity', id]],
      ['', [binding, time, `${id}'`]],
      ['', [binding, null, id]],
      ['', [binding, 5, id]],
      ['', [binding, [time], id]],
      ['', ['x', time, id]],
      ['', null],
      ['name', [named[0], 'a\u0000b', named[2]]],
      ['name', [named[0], '\ud800', named[2]]],
      ['name', [named[0], {}, named[2]]],
    ];
    for (const [sort, content] of forged) {
      const cursor = Buffer.from(JSON.stringify(content)).toString('base64url');
      const { status, body } = await list({ ...(sort && { sort }), cursor });
      expect([content, status, body.error.code]).toEqual([content, 400, 'bad_request']);
    }
    for (const cursor of ['x', '%00', '💥']) expect((await list({ cursor })).status).toBe(400);
  });
});

describe('what is asked in a wrong way: 422', () => {
  test.each<[string, Query, string]>([
    ['a sort key nobody has', { sort: 'colour' }, 'sort'],
    ['one that has no order of its own', { sort: 'email' }, 'sort'],
    ['SQL for one', { sort: 'name; drop table contacts' }, 'sort'],
    ['a custom field', { sort: 'custom_fields.tier' }, 'sort'],
    ['a property of the prototype', { sort: 'constructor' }, 'sort'],
    ['one twice', { sort: 'name,-name' }, 'sort'],
    ['four', { sort: 'name,created_at,updated_at,name' }, 'sort'],
    ['none between commas', { sort: 'name,' }, 'sort'],
    ['offset', { offset: 5 }, 'offset'],
    ['too large a page', { limit: 101 }, 'limit'],
  ])('%s', async (_what, query, field) => {
    const { status, body } = await list(query);
    expect([status, body.error.details[0].field, body.error.details[0].location]).toEqual([422, field, 'query']);
  });
});
