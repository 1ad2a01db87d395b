import { type LongReads, queryPlanned, type Source } from '../database.ts';
import type { Fields } from '../listing/fields.ts';
import { type Position, positionOf } from '../listing/keyset.ts';
import { type Listing, type ListRequest, listingSql, readListing } from '../listing/listing.ts';
import { phone } from '../listing/search.ts';
import type { PageRows } from '../paging.ts';
import { type ContactRow, contactColumns } from './queries.ts';

/** A phone as it is stored, however it was spelled; what is no phone stays what it is. */
const withPlus = (given: string) => (phone.test(given) ? `+${given.replace(/\D/g, '')}` : given);

/** What contacts are filtered and sorted by. */
export const contactFields: Fields = {
  columns: {
    id: { sql: 'k.id', type: 'id' },
    name: { sql: 'k.name', type: 'text', isSortable: true, isSortedFolded: true },
    phone_number: { sql: 'k.phone_number', type: 'text', canonical: withPlus, address: { text: 'k.search', isPhone: true } },
    email: { sql: 'k.email', type: 'text', isCaseless: true, address: { text: 'k.search', isPhone: false } },
    external_source: { sql: 'k.external_source', type: 'text' },
    external_id: { sql: 'k.external_id', type: 'text' },
    created_at: { sql: 'k.created_at', type: 'time', isSortable: true },
    updated_at: { sql: 'k.updated_at', type: 'time', isSortable: true },
  },
  objects: { custom_fields: 'k.custom_fields' },
  names: {
    tags: {
      from: `contact_tags a join tags t on t.organization_id = a.organization_id and t.id = a.tag_id
        where a.organization_id = k.organization_id and a.contact_id = k.id`,
      name: 't.name',
    },
  },
  search: { text: 'k.search', words: 'k.name' },
};

/** Throws 400 for filters that are no JSON array, 422 for what is read and not valid. */
export const readContactListing = (request: ListRequest): Listing => readListing('contacts', contactFields, request);

export type ContactPage = { limit: number; after?: Position; includeTotal?: boolean };

/** A page of an organization's contacts, one row more than asked for. */
export async function listContacts(
  source: Source | LongReads,
  organizationId: string,
  listing: Listing,
  { limit, after, includeTotal = false }: ContactPage,
): Promise<PageRows<ContactRow>> {
  const { text, params } = listStatement(organizationId, listing, { limit, after });
  const rows = await queryPlanned<ContactRow>(source, text, params);
  return includeTotal ? { rows, total: await countContacts(source, organizationId, listing) } : { rows };
}

/** One statement: how many contacts there are and how frequent a value is decides its plan, so it is planned each time. */
export function listStatement(organizationId: string, listing: Listing, { limit, after }: ContactPage) {
  const params: unknown[] = [organizationId];
  const bind = (value: unknown) => `$${params.push(value)}`;
  const { where, orderBy } = listingSql(contactFields, listing, bind, after);
  const text = `select ${contactColumns} from contacts k where k.organization_id = $1${where} order by ${orderBy} limit ${bind(limit + 1)}`;
  return { text, params };
}

export async function countContacts(source: Source | LongReads, organizationId: string, listing: Listing): Promise<number> {
  const params: unknown[] = [organizationId];
  const { where } = listingSql(contactFields, listing, (value) => `$${params.push(value)}`);
  const text = `select count(*)::int as total from contacts k where k.organization_id = $1${where}`;
  const [counted] = await queryPlanned<{ total: number }>(source, text, params);
  return counted?.total ?? 0;
}

/** Every contact of a listing, or those after `begin`, `size` at a time; no more than a page is in memory. Each page is a statement of its own. */
export async function* contactPages(
  source: Source | LongReads,
  organizationId: string,
  listing: Listing,
  size = 500,
  begin?: Position,
): AsyncGenerator<ContactRow[]> {
  for (let after = begin; ; ) {
    const { rows } = await listContacts(source, organizationId, listing, { limit: size, after });
    const page = rows.slice(0, size);
    if (page.length > 0) yield page;
    if (rows.length <= size) return;
    after = positionOf(listing.keys, page.at(-1)!);
  }
}

/** The custom fields that contacts of a listing have, each once. */
export function keysStatement(organizationId: string, listing: Listing, limit: number) {
  const params: unknown[] = [organizationId];
  const bind = (value: unknown) => `$${params.push(value)}`;
  const { where } = listingSql(contactFields, listing, bind);
  const text = `select distinct f.key from contacts k, jsonb_object_keys(k.custom_fields) as f(key)
    where k.organization_id = $1 and k.custom_fields <> '{}'${where} order by f.key limit ${bind(limit)}`;
  return { text, params };
}
