import { now } from '../../platform/database/columns.ts';
import { brokenReference } from '../../platform/database/errors.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { type Ask, type Page, type PageRows, pageOfQuery } from '../../platform/listing/paging.ts';
import { Category } from './category.entity.ts';
import { assertParent, categoriesLock } from './category-tree.ts';

export const maxCategories = 10_000;

const columns = ['id', 'organization_id', 'name', 'slug', 'parent_id', 'active', 'sort_order', 'created_at'] as const;
export type CategoryRow = RowOf<typeof Category, (typeof columns)[number]>;

export type GivenCategory = { name: string; slug: string; active: boolean; parent_id?: string | null; sort_order: number };

const byId = statement((select, { id }: { id: string }) => select(Category).select(columns).where('id', '=', id));
const bySlug = statement((select, { slug }: { slug: string }) => select(Category).select('id').where('slug', '=', slug));
const firstChild = statement((select, { id }: { id: string }) =>
  select(Category).select('id').where('parent_id', '=', id).limit(1),
);

export async function findCategory(own: Own, id: string): Promise<CategoryRow | undefined> {
  const [row] = await byId(own, { id });
  return row;
}

/** Throws 404. */
export async function getCategory(own: Own, id: string): Promise<CategoryRow> {
  const row = await findCategory(own, id);
  if (!row) throw notFound('Category');
  return row;
}

export type CategoryFilter = { parentId?: string; active?: boolean };

export function listCategories(
  own: Own,
  ask: Ask,
  { parentId, active }: CategoryFilter,
  page: Page,
): Promise<PageRows<CategoryRow>> {
  let categories = own.select(Category).select(columns);
  if (parentId !== undefined) categories = categories.where('parent_id', '=', parentId);
  if (active !== undefined) categories = categories.where('active', '=', active);
  return pageOfQuery<CategoryRow>(ask, categories, page);
}

/** Needs `categoriesLock`. Throws 409 for a slug that another one has, 422 for its parent and at the limit. */
export const createCategory = (tx: OwnTx, given: GivenCategory): Promise<CategoryRow> => putCategory(tx, uuidv7(), given);

/**
 * Creates or replaces the category of this id, whole. The id belongs to the organization: whether another one has a category of the same id
 * is neither shown nor changed. Needs `categoriesLock`.
 */
export async function putCategory(tx: OwnTx, id: string, given: GivenCategory): Promise<CategoryRow> {
  tx.assertLocked(categoriesLock(tx.organizationId));
  const { parent_id = null, ...values } = given;
  const [taken] = await bySlug(tx, { slug: given.slug });
  if (taken && taken.id !== id) throw slugTaken();
  if (parent_id !== null) await assertParent(tx, id, parent_id);
  const row = { ...values, parent_id };
  const isThere = (await tx.update(Category, { id }, { ...row, updated_at: now() })) > 0;
  if (!isThere) {
    await assertRoom(tx);
    await tx.insert(Category, { id, ...row });
  }
  return getCategory(tx, id);
}

/** SQL: reads no further than the limit; a plain count goes through all rows. */
async function assertRoom(tx: OwnTx): Promise<void> {
  const [counted] = await tx.sql<{ count: number }>(
    `select count(*)::int as count
       from (select 1
               from commerce_categories
              where organization_id = $1
              limit ${maxCategories}) known`,
  );
  if (counted!.count >= maxCategories)
    throw new AppError('limit_reached', `An organization has at most ${maxCategories} categories`);
}

/** Products lose it. Throws 404, 409 while it has children. */
export async function deleteCategory(tx: OwnTx, id: string): Promise<void> {
  tx.assertLocked(categoriesLock(tx.organizationId));
  await getCategory(tx, id);
  const [child] = await firstChild(tx, { id });
  if (child) throw hasChildren();
  await tx.delete(Category, { id }).catch((error: unknown) => {
    throw brokenReference(error) ? hasChildren() : error;
  });
}

const hasChildren = () => new AppError('conflict', 'Other categories stand below it: move or delete them first');

function slugTaken() {
  const message = 'Another category has this slug';
  return new AppError('conflict', message, { details: [{ field: 'slug', location: 'body', code: 'slug.taken', message }] });
}
