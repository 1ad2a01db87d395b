import { now } from '../../platform/database/columns.ts';
import { violatedConstraint } from '../../platform/database/errors.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError, invalidField, notFound } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { subjectLock } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Fields } from '../../platform/listing/fields.ts';
import { type Listing, type ListRequest, readListing } from '../../platform/listing/listing.ts';
import { type ListPage, type ListRows, listRows } from '../../platform/listing/page.ts';
import type { Reads } from '../../platform/listing/reads.ts';
import type { ListedTable } from '../../platform/listing/table.ts';
import type { Category } from './category.entity.ts';
import { Product, productKinds } from './product.entity.ts';

export const maxProducts = 10_000;
export const maxImages = 20;
export const maxCategoriesOfProduct = 20;

/** Held by whoever makes a product: the limit is exact. */
export const productsLock = (organizationId: string) => subjectLock('products', organizationId);

const ownColumns = [
  'id',
  'name',
  'slug',
  'description',
  'kind',
  'active',
  'images',
  'metadata',
  'created_at',
  'updated_at',
] as const;
export type ProductRow = RowOf<typeof Product, (typeof ownColumns)[number]> & { category_ids: string[] };

type Values = Pick<ProductRow, 'name' | 'slug' | 'description' | 'kind' | 'active' | 'images' | 'metadata'>;
export type NewProduct = Values & { category_ids: string[] };
export type ProductPatch = Partial<NewProduct>;

const columns = `
  ${ownColumns.map((column) => `k.${column}`).join(', ')},
  array(
    select c.category_id
      from product_categories c
     where c.organization_id = k.organization_id and c.product_id = k.id
     order by c.category_id) as category_ids`;

export const productFields: Fields = {
  columns: {
    id: { sql: 'k.id', type: 'id' },
    name: { sql: 'k.name', type: 'text', isUnindexed: true },
    slug: { sql: 'k.slug', type: 'text' },
    kind: { sql: 'k.kind', type: 'choice', values: productKinds, isUnindexed: true },
    active: { sql: 'k.active', type: 'boolean', isUnindexed: true },
    created_at: { sql: 'k.created_at', type: 'time', isSortable: true },
  },
  objects: {},
  names: {},
  links: {
    category_id: {
      from: 'product_categories c where c.organization_id = k.organization_id and c.product_id = k.id',
      id: 'c.category_id',
    },
  },
  search: { text: 'k.search', words: 'k.name' },
};

const table: ListedTable = { name: 'products', fields: productFields, columns };

/** Throws 400 for filters that are not a JSON array, 422 for invalid ones. */
export const readProductListing = (request: ListRequest): Listing => readListing('products', productFields, request);

export const listProducts = (
  reads: Reads,
  organizationId: string,
  listing: Listing,
  page: ListPage & { includeTotal?: boolean },
): Promise<ListRows<ProductRow>> => listRows(reads, table, organizationId, listing, page);

/** Throws 404. SQL: the columns of the list, whose conditions decide its statement; its categories are a list made of a second table. */
export async function getProduct(own: Own, id: string): Promise<ProductRow> {
  const [row] = await own.sql<ProductRow>(
    `select ${columns}
       from products k
      where k.organization_id = $1 and k.id = $2`,
    [id],
  );
  if (!row) throw notFound('Product');
  return row;
}

/** Needs `productsLock`. Throws 422 for what is not there and at the limit, 409 for the slug of another one. */
export async function createProduct(tx: OwnTx, { category_ids, ...values }: NewProduct): Promise<ProductRow> {
  tx.assertLocked(productsLock(tx.organizationId));
  // SQL: reads no further than the limit; a plain count goes through all rows.
  const [counted] = await tx.sql<{ count: number }>(
    `select count(*)::int as count
       from (select 1
               from products
              where organization_id = $1
              limit ${maxProducts}) known`,
  );
  if (counted!.count >= maxProducts) throw new AppError('limit_reached', `An organization has at most ${maxProducts} products`);
  await assertImages(tx, values.images);
  const id = uuidv7();
  await tx.insert(Product, { id, ...values }).catch(slugTaken);
  await setCategories(tx, id, category_ids);
  return getProduct(tx, id);
}

/** What is not given stays. Throws 404, 409, 422. */
export async function changeProduct(tx: OwnTx, id: string, { category_ids, ...values }: ProductPatch): Promise<ProductRow> {
  if (values.images) await assertImages(tx, values.images);
  // The row's lock also orders two changes of its categories.
  const changed = await tx.update(Product, { id }, { ...values, updated_at: now() }).catch(slugTaken);
  if (changed === 0) throw notFound('Product');
  if (category_ids) await setCategories(tx, id, category_ids);
  return getProduct(tx, id);
}

/** Its variants go with it. Orders keep what they copied. Throws 404. */
export async function deleteProduct(tx: OwnTx, id: string): Promise<void> {
  if ((await tx.delete(Product, { id })) === 0) throw notFound('Product');
}

/** SQL: `for key share`, so that no category goes before the commit, and links written as a set where they are not there yet. */
async function setCategories(tx: OwnTx, id: string, given: string[]): Promise<void> {
  const found = await tx.sql<RowOf<typeof Category, 'id'>>(
    `select id
       from commerce_categories
      where organization_id = $1 and id = any($2::uuid[])
      order by id
        for key share`,
    [given],
  );
  const known = new Set(found.map((row) => row.id));
  const missing = given.findIndex((one) => !known.has(one));
  if (missing !== -1) throw invalidField(`category_ids[${missing}]`, 'No category has this id', 'reference.unknown');
  await tx.sql(
    `delete from product_categories
      where organization_id = $1 and product_id = $2 and category_id <> all($3::uuid[])`,
    [id, given],
  );
  await tx.sql(
    `insert into product_categories (organization_id, product_id, category_id)
     select $1, $2, c.id
       from unnest($3::uuid[]) c (id)
     on conflict on constraint product_categories_pkey do nothing`,
    [id, given],
  );
}

/** SQL: the table is another domain's (`media`), which this one does not know. */
async function assertImages(own: Own, images: string[]): Promise<void> {
  if (images.length === 0) return;
  const found = await own.sql<{ id: string }>(
    `select id
       from media_assets
      where organization_id = $1 and id = any($2::uuid[]) and deleted_at is null`,
    [images],
  );
  const known = new Set(found.map(({ id }) => id));
  const missing = images.findIndex((one) => !known.has(one));
  if (missing !== -1) throw invalidField(`images[${missing}]`, 'No media asset has this id', 'reference.unknown');
}

function slugTaken(error: unknown): never {
  if (violatedConstraint(error) !== 'products_slug') throw error;
  const message = 'Another product has this slug';
  throw new AppError('conflict', message, { details: [{ field: 'slug', location: 'body', code: 'slug.taken', message }] });
}
