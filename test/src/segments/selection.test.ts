import { beforeAll, describe, expect, test } from '@jest/globals';
import { query } from '../../../src/platform/database/query.ts';
import { bindTo } from '../../../src/platform/listing/bind.ts';
import { type Selection, segmentCondition } from '../../../src/segments/selection.ts';
import { type Body, useApp } from '../../support/app.ts';

/** The condition in a statement over sets finds those whom the list of contacts shows, page by page. */
const app = useApp();

beforeAll(async () => {
  const people = [
    { name: 'Ada Lovelace', email: 'ada@example.com', custom_fields: { tier: 'gold', visits: 3, 'a.b': true } },
    { name: 'Grace Hopper', email: 'grace@example.com', custom_fields: { tier: 'silver', visits: 12 } },
    { name: 'Älva Öberg', email: '', custom_fields: { tier: '' } },
    { name: '50% off_', email: 'Offers@Example.com', custom_fields: { visits: 'many' } },
    { name: '', email: 'nobody@example.com', custom_fields: {} },
    { name: "O'Neil \\ Sons", custom_fields: { tier: 'gold', visits: 40 } },
  ];
  for (const [index, body] of people.entries()) {
    const made = await app.call('contacts.create', {
      body: { ...body, phone_number: `+1650555${2_000 + index}`, external_source: 'shop', external_id: `C-${index}` },
    });
    const params = { contactID: made.body.data.id };
    if (index % 2 === 0) await app.call('contacts.tags.assign', { params, body: { name: 'VIP' } });
    if (index % 3 === 0) await app.call('contacts.tags.assign', { params, body: { name: 'Händler' } });
  }
  // Of somebody else, and like the others.
  const { key } = await app.organization();
  await app.call('contacts.create', {
    key,
    body: { name: 'Ada Lovelace', phone_number: '+16505552000', custom_fields: { tier: 'gold' } },
  });
});

/** As a campaign takes its audience: by keyset, in small batches. */
async function taken(segment: Selection & { id: string; kind: string }): Promise<string[]> {
  const found: string[] = [];
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const params: unknown[] = [app.tenant.organizationId];
    const bind = bindTo(params);
    const rows = await query<{ id: string }>(
      app.em(),
      `select k.id
         from contacts k
        where k.organization_id = $1
          and ${segmentCondition(segment, bind)}
          and k.id > ${bind(after)}
        order by k.id
        limit ${bind(2)}`,
      params,
    );
    if (rows.length === 0) return found;
    found.push(...rows.map(({ id }) => id));
    after = found.at(-1)!;
  }
}

async function listed(asked: { filters?: object[]; search?: string }): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { status, body } = await app.call('contacts.list', {
      query: {
        sort: 'created_at',
        limit: 4,
        ...(asked.filters && { filters: JSON.stringify(asked.filters) }),
        ...(asked.search && { search: asked.search }),
        ...(cursor && { cursor }),
      } as unknown as Record<string, string>,
    });
    expect(status).toBe(200);
    found.push(...body.data.map((one: Body) => one.id));
    if (!body.meta.has_more) return found;
    cursor = body.meta.next_cursor;
  }
}

describe('as the list', () => {
  const cases: [number, Selection][] = [
    [6, {}],
    [1, { search: 'ada love' }],
    [1, { search: 'alva' }],
    [6, { search: '+1 (650) 555' }],
    [1, { filters: [{ field: 'name', operator: 'eq', value: 'Ada Lovelace' }] }],
    [5, { filters: [{ field: 'name', operator: 'neq', value: 'Ada Lovelace' }] }],
    [1, { filters: [{ field: 'name', operator: 'contains', value: '% OFF_' }] }],
    [1, { filters: [{ field: 'name', operator: 'starts_with', value: "o'neil \\" }] }],
    [1, { filters: [{ field: 'name', operator: 'is_empty' }] }],
    [1, { filters: [{ field: 'email', operator: 'eq', value: 'ADA@example.com' }] }],
    [1, { filters: [{ field: 'phone_number', operator: 'eq', value: '+1 650 555 2003' }] }],
    [2, { filters: [{ field: 'external_id', operator: 'in', value: ['C-1', 'C-2', 'C-77'] }] }],
    [2, { filters: [{ field: 'custom_fields.tier', operator: 'eq', value: 'gold' }] }],
    [4, { filters: [{ field: 'custom_fields.tier', operator: 'not_in', value: ['gold'] }] }],
    [2, { filters: [{ field: 'custom_fields.visits', operator: 'gte', value: 12 }] }],
    [1, { filters: [{ field: 'custom_fields.a.b', operator: 'eq', value: true }] }],
    [3, { filters: [{ field: 'tags', operator: 'eq', value: 'vip' }] }],
    [2, { filters: [{ field: 'tags', operator: 'is_empty' }] }],
    [6, { filters: [{ field: 'created_at', operator: 'gt', value: '2020-01-01T00:00:00Z' }] }],
    [
      1,
      {
        filters: [
          { field: 'tags', value: 'handler' },
          { field: 'custom_fields.tier', value: 'gold' },
        ],
        search: 'Lovelace',
      },
    ],
  ];
  test.each(cases)('%i: %j', async (total, selection) => {
    const ids = await taken({ ...selection, id: '', kind: 'dynamic' });
    expect(ids).toEqual(await listed(selection));
    expect(ids).toHaveLength(total);
  });

  test('tags: who has one of them', async () => {
    const tags = ['VIP', 'handler', 'nobody has it'];
    const ids = await taken({ tags, id: '', kind: 'dynamic' });
    expect(ids).toEqual(await listed({ filters: [{ field: 'tags', operator: 'in', value: tags }] }));
    expect(ids).toHaveLength(4);
  });

  test('a static one: its members', async () => {
    const [first, , third] = await listed({});
    const { id } = (await app.call('segments.create', { body: { name: 'Two', kind: 'static' } })).body;
    const contact_ids = [third!, first!];
    await app.call('segments.members.add', { params: { segmentID: id }, body: { contact_ids } });
    expect(await taken({ id, kind: 'static' })).toEqual([first, third]);
  });
});
