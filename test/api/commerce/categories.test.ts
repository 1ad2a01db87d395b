import { beforeEach, describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { storedCategories } from '../../support/stored/commerce.ts';

const app = useApp();
let tenant: Tenant;

beforeEach(async () => {
  tenant = await app.organization();
});

const given = (slug: string, more: object = {}) => ({ active: true, name: 'Soap', slug, ...more });
const create = (slug: string, more: object = {}) =>
  app.call('commerce.categories.create', { key: tenant.key, body: given(slug, more) });
const put = (id: string, body: object, key = tenant.key) =>
  app.call('commerce.categories.put', { key, params: { categoryID: id }, body });
const get = (id: string, key = tenant.key) => app.call('commerce.categories.get', { key, params: { categoryID: id } });
const made = async (slug: string, more: object = {}): Promise<string> => {
  const { status, body } = await create(slug, more);
  expect(status).toBe(201);
  return body.id;
};
const details = ({ status, body }: { status: number; body: Body }) => [
  status,
  body.error.code,
  body.error.details?.map(({ field }: Body) => field),
];

test('a put creates and replaces, both 200; left-out fields fall back', async () => {
  const [id, parent] = [uuidv7(), await made('parent')];
  const full = given('soap', { parent_id: parent, sort_order: 7 });
  const first = await put(id, full);
  expect(first).toMatchObject({ status: 200, body: { ...full, id, organization_id: tenant.organizationId } });
  expect(Object.keys(first.body).sort()).toEqual(['active', 'id', 'name', 'organization_id', 'parent_id', 'slug', 'sort_order']);
  const second = await put(id, { active: false, name: 'Soaps', slug: 'soaps' });
  expect(second.status).toBe(200);
  expect(second.body).toEqual({
    id,
    organization_id: tenant.organizationId,
    active: false,
    name: 'Soaps',
    slug: 'soaps',
    sort_order: 0,
  });
  expect((await get(id)).body).toEqual(second.body);
});

test('the id of another organization creates one of its own: nothing of the other is shown or changed', async () => {
  const id = await made('mine');
  const other = await app.organization();
  expect(await get(id, other.key)).toMatchObject({ status: 404 });
  const theirs = await put(id, given('theirs', { name: 'Theirs' }), other.key);
  expect(theirs).toMatchObject({ status: 200, body: { id, organization_id: other.organizationId, name: 'Theirs' } });
  expect((await get(id)).body).toMatchObject({ slug: 'mine', organization_id: tenant.organizationId });
  const parent = await made('parent');
  expect(details(await put(uuidv7(), given('child', { parent_id: parent }), other.key))).toEqual([
    422,
    'invalid_request',
    ['parent_id'],
  ]);
});

test('a list of all, of the children of one, of the active ones', async () => {
  const root = await made('root');
  const [first, second] = [await made('a', { parent_id: root }), await made('b', { parent_id: root, active: false })];
  const list = async (query: Record<string, string | boolean>) =>
    (await app.call('commerce.categories.list', { key: tenant.key, query })).body.items.map(({ id }: Body) => id);
  expect(await list({})).toEqual([second, first, root]);
  expect(await list({ parent_id: root })).toEqual([second, first]);
  expect(await list({ parent_id: root, active: true })).toEqual([first]);
});

test('one with children is not deleted; products lose a deleted one', async () => {
  const root = await made('root');
  const child = await made('child', { parent_id: root });
  const product = await app.call('commerce.products.create', {
    key: tenant.key,
    body: { name: 'Soap', slug: 'soap', kind: 'physical', category_ids: [child, root] },
  });
  const remove = (categoryID: string) => app.call('commerce.categories.delete', { key: tenant.key, params: { categoryID } });
  expect(await remove(root)).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
  expect((await remove(child)).status).toBe(204);
  expect((await remove(child)).status).toBe(404);
  const { body } = await app.call('commerce.products.get', { key: tenant.key, params: { productID: product.body.id } });
  expect(body.category_ids).toEqual([root]);
  expect((await remove(root)).status).toBe(204);
});

describe('bad input', () => {
  test.each([
    ['no active', { name: 'Soap', slug: 'soap' }, 'active'],
    ['active as text', given('soap', { active: 'true' }), 'active'],
    ['no name', { active: true, slug: 'soap' }, 'name'],
    ['a name of blanks', given('soap', { name: '   ' }), 'name'],
    ['a name of 201', given('soap', { name: 'x'.repeat(201) }), 'name'],
    ['no slug', { active: true, name: 'Soap' }, 'slug'],
    ['slug A b', given('A b'), 'slug'],
    ['slug a--b', given('a--b'), 'slug'],
    ['slug of 101', given('a'.repeat(101)), 'slug'],
    ['sort_order above int32', given('soap', { sort_order: 2_147_483_648 }), 'sort_order'],
    ['sort_order 1.5', given('soap', { sort_order: 1.5 }), 'sort_order'],
    ['an unknown parent', given('soap', { parent_id: uuidv7() }), 'parent_id'],
    ['a parent that is no id', given('soap', { parent_id: 'parent' }), 'parent_id'],
  ])('%s: 422 at its field, and nothing is stored', async (_, body, field) => {
    const replies = [await put(uuidv7(), body), await app.call('commerce.categories.create', { key: tenant.key, body })];
    for (const reply of replies) expect(details(reply)).toEqual([422, 'invalid_request', [field]]);
    const rows = await storedCategories.all(app, { organization_id: tenant.organizationId });
    expect(rows).toEqual([]);
  });

  test('itself and its grandchild as parent, and a slug that is taken', async () => {
    const root = await made('root');
    const child = await made('child', { parent_id: root });
    const grandchild = await made('grandchild', { parent_id: child });
    for (const parent_id of [root, child, grandchild])
      expect(details(await put(root, given('root', { parent_id })))).toEqual([422, 'invalid_request', ['parent_id']]);
    expect(details(await put(root, given('child')))).toEqual([409, 'conflict', ['slug']]);
    expect(details(await create('child'))).toEqual([409, 'conflict', ['slug']]);
    const id = uuidv7();
    expect(details(await put(id, given('new', { parent_id: id })))).toEqual([422, 'invalid_request', ['parent_id']]);
    expect((await get(root)).body).not.toHaveProperty('parent_id');
  });

  test('an id that is no UUID is a 404', async () => {
    expect((await put('soap', given('soap'))).status).toBe(404);
    expect((await get('soap')).status).toBe(404);
  });

  test('deeper than eight, by its parents or by its children', async () => {
    const path: string[] = [];
    for (let level = 1; level <= 8; level += 1)
      path.push(await made(`level-${level}`, level === 1 ? {} : { parent_id: path.at(-1) }));
    expect(details(await create('ninth', { parent_id: path.at(-1) }))).toEqual([422, 'invalid_request', ['parent_id']]);
    const root = await made('other');
    expect(details(await put(path[0]!, given('level-1', { parent_id: root })))).toEqual([422, 'invalid_request', ['parent_id']]);
    expect((await put(path[1]!, given('level-2', { parent_id: root }))).status).toBe(200);
  });
});

test('50 puts of one id at once end as one of them', async () => {
  const id = uuidv7();
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      put(id, { active: true, name: `Name ${index}`, slug: `slug-${index}`, sort_order: index }),
    ),
  );
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  const row = await storedCategories.one(app, { organization_id: tenant.organizationId }, ['name', 'slug', 'sort_order']);
  expect(row).toEqual({ name: `Name ${row.sort_order}`, slug: `slug-${row.sort_order}`, sort_order: row.sort_order });
});

test('50 moves at once never make a cycle', async () => {
  const ids = await Promise.all(Array.from({ length: 6 }, (_, index) => made(`node-${index}`)));
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) => {
      const [at, to] = [index % 6, (index * 7 + Math.floor(index / 6) + 1) % 6];
      return put(ids[at]!, given(`node-${at}`, at === to ? {} : { parent_id: ids[to] }));
    }),
  );
  const statuses = new Set(replies.map(({ status }) => status));
  expect([...statuses].sort()).toEqual([200, 422]);
  const cycles = await app.rows(
    `with recursive walk as (
       select id as start, parent_id from commerce_categories where organization_id = $1
        union
       select w.start, c.parent_id from walk w join commerce_categories c on c.organization_id = $1 and c.id = w.parent_id)
     select start from walk where parent_id = start`,
    [tenant.organizationId],
  );
  expect(cycles).toEqual([]);
});
