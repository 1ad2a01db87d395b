import { beforeAll, expect, test } from '@jest/globals';
import { type Body, useApp } from '../../support/app.ts';

const app = useApp();
/** More than are looked up in another table, so that what all have is met in the list alone. */
const count = 10_600;

/** Number 1 wrote last. `everyone` is a tag of number 3 and of all beyond the first hundred, `few` of five by the end, Zanzibar and a phone are of some of these. */
beforeAll(async () => {
  const { id: channelId } = await app.connect();
  const { organizationId } = app.tenant;
  await app.rows(
    `insert into contacts (id, organization_id, name, phone_number)
     select uuidv7(), $1, case when n >= 10596 then 'Zoe Zanzibar ' else 'Ann Miller ' end || n,
            case when n in (10590, 10597, 10598) then '+49303334445' || n else '+1555000' || n end
       from generate_series(1, $2::int) n`,
    [organizationId, count],
  );
  await app.rows(
    `insert into conversations (id, organization_id, channel_id, contact_id, status, preview, last_message_at)
     select uuidv7(), $1, $2, id, 'open', split_part(name, ' ', 3), now() - split_part(name, ' ', 3)::int * interval '1 minute'
       from contacts where organization_id = $1`,
    [organizationId, channelId],
  );
  await app.rows(
    `with t as (insert into tags (id, organization_id, name) values (uuidv7(), $1, 'everyone'), (uuidv7(), $1, 'few') returning id, name)
     insert into conversation_tags (organization_id, conversation_id, tag_id)
     select $1, v.id, t.id from conversations v, t
      where v.organization_id = $1
        and case t.name when 'everyone' then v.preview::int > 100 or v.preview = '3' else v.preview::int in (10500, 10594, 10596, 10597, 10600) end`,
    [organizationId],
  );
  // As autovacuum does after so many rows.
  await app.rows('analyze contacts, conversations, tags, conversation_tags');
});

const tagged = (...names: string[]) => names.map((name) => ({ field: 'tags', operator: 'eq', value: name }));
const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The numbers on each page, in steps of `limit`. */
async function walked(query: { search?: string; filters?: object[]; sort?: string }, limit: number): Promise<number[]> {
  const { filters, ...rest } = query;
  const seen: number[] = [];
  for (let cursor: string | undefined; ; ) {
    const { status, body } = await app.call('conversations.list', {
      query: { ...rest, limit, ...(filters && { filters: JSON.stringify(filters) }), ...(cursor && { cursor }) },
    });
    expect([status, body.items.length <= limit]).toEqual([200, true]);
    seen.push(...body.items.map(({ preview }: Body) => Number(preview)));
    cursor = body.meta.next_cursor;
    if (!cursor) return seen;
  }
}

test.each<[string, Parameters<typeof walked>[0], number[]]>([
  ['a tag of few', { filters: tagged('few') }, [10500, 10594, 10596, 10597, 10600]],
  ['of few, the other way round', { filters: tagged('few'), sort: 'last_activity_at' }, [10600, 10597, 10596, 10594, 10500]],
  ['of either', { filters: [{ field: 'tags', operator: 'in', value: ['Few', 'few'] }] }, [10500, 10594, 10596, 10597, 10600]],
  ['a name of few', { search: 'zanzibar' }, from(10596, 10600)],
  ['two words of it', { search: 'zanzibar zoe' }, from(10596, 10600)],
  ['the beginning of a word', { search: 'Za' }, from(10596, 10600)],
  ['a phone', { search: '+49 303 334 445' }, [10590, 10597, 10598]],
  ['a name of nobody', { search: 'timbuktu' }, []],
  ['a tag and a name', { filters: tagged('few'), search: 'zanzibar' }, [10596, 10597, 10600]],
  ['a common tag and a name', { filters: tagged('everyone'), search: 'zanzibar' }, from(10596, 10600)],
  ['two tags', { filters: tagged('everyone', 'few') }, [10500, 10594, 10596, 10597, 10600]],
  ['a tag of none', { filters: tagged('nothing') }, []],
  ['a name and what no index answers', { search: 'zanzibar', filters: [{ field: 'is_unread', value: true }] }, []],
])('%s: each once, in order, whatever the pages', async (_, query, expected) => {
  for (const limit of [1, 2, 100]) expect(await walked(query, limit)).toEqual(expected);
});

test('a common tag and a common name are met in the list', async () => {
  // Of the first records that are compared for two only one has the tag.
  const two = await app.call('conversations.list', { query: { filters: JSON.stringify(tagged('everyone')), limit: 2 } });
  expect(two.body.items.map(({ preview }: Body) => preview)).toEqual(['3', '101']);
  const many = await app.call('conversations.list', { query: { filters: JSON.stringify(tagged('everyone')), limit: 100 } });
  expect(many.body.items.map(({ preview }: Body) => Number(preview))).toEqual([3, ...from(101, 199)]);
  expect(
    (await app.call('conversations.list', { query: { search: 'ann', limit: 3 } })).body.items.map(({ preview }: Body) => preview),
  ).toEqual(['1', '2', '3']);
});

test('counts and totals are of all of them', async () => {
  const { body } = await app.call('conversations.counts', {
    query: { search: 'zanzibar', filters: JSON.stringify(tagged('everyone')) },
  });
  expect(body).toMatchObject({ open: 5, total: 5 });
  const { body: page } = await app.call('conversations.list', { query: { search: 'zanzibar', limit: 2, include_total: true } });
  expect([page.meta.total, page.items.length]).toEqual([5, 2]);
});
