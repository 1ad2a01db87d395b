import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';

const app = useApp();
let dealID: string;

beforeAll(async () => {
  const companies: [string, object][] = [
    ['Alpha', { industry: 'software', employees: 5 }],
    ['Beta', { industry: 'software', employees: 50 }],
    ['Gamma', { industry: 'retail', employees: 500 }],
    ['Delta', {}],
  ];
  for (const [name, fields] of companies)
    await app.call('crm.records.create', { params: { objectKind: 'company' }, body: { fields: { name, ...fields } } });
  for (const [name, tier] of [
    ['Ada', 'gold'],
    ['Bob', 'tin'],
    ['Cid', 'tin'],
  ])
    await app.call('contacts.create', { body: { name, phone_number: `+${app.phone()}`, custom_fields: { tier } } });
  dealID = (await app.call('crm.deals.create', { body: { title: 'Roof' } })).body.id;
  await app.call('crm.tasks.create', { body: { title: 'Call' } });
});

const search = (objectKind: string, body: object = {}, key?: string) =>
  app.call('crm.records.search', { params: { objectKind }, body, key });
const namesOf = ({ body }: { body: Body }) => body.items.map(({ display_name }: Body) => display_name);

describe('what is found', () => {
  test('without anything in the body it is the list', async () => {
    const { status, body } = await search('company');
    const list = await app.call('crm.records.list', { params: { objectKind: 'company' } });
    expect(status).toBe(200);
    expect(body).toEqual(list.body);
  });

  test('all filters must hold, and one of each group', async () => {
    const industries = [
      { field: 'industry', value: 'retail' },
      { field: 'name', value: 'Alpha' },
    ];
    expect(namesOf(await search('company', { any: [industries], sort: 'name' }))).toEqual(['Alpha', 'Gamma']);
    const many = { filters: [{ field: 'employees', operator: 'gt', value: 5 }], any: [industries], sort: 'name' };
    expect(namesOf(await search('company', many))).toEqual(['Gamma']);
    const sizes = [
      { field: 'employees', operator: 'is_empty' },
      { field: 'employees', operator: 'lt', value: 100 },
    ];
    expect(namesOf(await search('company', { any: [industries, sizes], sort: 'name' }))).toEqual(['Alpha']);
    expect(namesOf(await search('company', { any: [sizes], search: 'elta' }))).toEqual(['Delta']);
  });

  test('a kind with its own table has groups too', async () => {
    const any = [
      [
        { field: 'name', value: 'Ada' },
        { field: 'custom_fields.tier', value: 'tin' },
      ],
    ];
    expect(namesOf(await search('contact', { any, sort: 'name' }))).toEqual(['Ada', 'Bob', 'Cid']);
    expect(
      namesOf(await search('contact', { any, filters: [{ field: 'name', operator: 'neq', value: 'Bob' }], sort: '-name' })),
    ).toEqual(['Cid', 'Ada']);
    const deals = [
      [
        { field: 'id', value: dealID },
        { field: 'status', value: 'won' },
      ],
    ];
    expect(namesOf(await search('deal', { any: deals }))).toEqual(['Roof']);
    expect(namesOf(await search('task', { any: [[{ field: 'title', value: 'Call' }]] }))).toEqual(['Call']);
    expect(namesOf(await search('conversation', { any: [[{ field: 'status', value: 'open' }]] }))).toEqual([]);
  });

  test('pages go on by a cursor, which is of these filters alone', async () => {
    const any = [
      [
        { field: 'employees', operator: 'gte', value: 5 },
        { field: 'name', value: 'Delta' },
      ],
    ];
    const first = (await search('company', { any, sort: 'employees', limit: 3, include_total: true })).body;
    expect([first.items.length, first.meta.total, first.meta.has_more]).toEqual([3, 4, true]);
    const cursor = first.meta.next_cursor;
    expect(namesOf(await search('company', { any, sort: 'employees', limit: 3, cursor }))).toEqual(['Delta']);
    expect((await search('company', { sort: 'employees', cursor })).status).toBe(400);
    expect((await search('company', { any: [[...any[0]!].reverse()], sort: 'employees', cursor })).status).toBe(400);
  });
});

describe('what is refused', () => {
  const name = { field: 'name', value: 'x' };

  test.each<[string, object, string]>([
    ['a value of another type', { filters: [name, { field: 'employees', value: 'x' }] }, 'filters[1].value'],
    ['an unknown field in a group', { any: [[name], [name, { field: 'nothing', value: 'x' }]] }, 'any[1][1].field'],
    ['an unknown operator', { any: [[{ ...name, operator: 'like' }]] }, 'any[0][0].operator'],
    ['an operator of another type', { any: [[{ ...name, operator: 'gt' }]] }, 'any[0][0].operator'],
    ['a group of nothing', { any: [[]] }, 'any[0]'],
    ['a group that is none', { any: [name] }, 'any[0]'],
    ['a text of filters', { filters: '[]' }, 'filters'],
    ['21 filters', { filters: Array.from({ length: 21 }, () => name) }, 'filters'],
    ['21 filters in groups', { filters: [name], any: Array.from({ length: 10 }, () => [name, name]) }, 'filters'],
    ['a sort by what has no index', { sort: 'website' }, 'sort'],
    ['65 KB', { filters: Array.from({ length: 7 }, () => ({ ...name, value: 'x'.repeat(10_000) })) }, 'filters'],
    ['what it does not have', { anyone: [] }, 'anyone'],
  ])('%s: 422 at its place in the body', async (_, body, field) => {
    const { status, body: reply } = await search('company', body);
    expect([status, reply.error.details]).toMatchObject([422, [{ field, location: 'body' }]]);
  });

  test('an unknown kind: 422 at the path', async () => {
    const { status, body } = await search('unknown');
    expect([status, body.error.details]).toMatchObject([422, [{ field: 'objectKind', location: 'path' }]]);
  });

  test("a kind with its own table needs that table's scope too", async () => {
    const { key } = await app.key(app.tenant.organizationId, ['crm:read']);
    expect((await search('contact', {}, key)).status).toBe(403);
    expect((await search('company', {}, key)).status).toBe(200);
  });

  test("another organization's records are not found", async () => {
    const { key } = await app.organization();
    expect((await search('company', { any: [[{ field: 'name', value: 'Alpha' }]] }, key)).body.items).toEqual([]);
  });
});
