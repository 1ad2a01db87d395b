import { bindTo } from '../platform/listing/bind.ts';
import type { Fields } from '../platform/listing/fields.ts';
import type { Position } from '../platform/listing/keyset.ts';
import { type Listing, type ListRequest, listingSql, readListing } from '../platform/listing/listing.ts';
import { type ListPage, type ListRows, listRows } from '../platform/listing/page.ts';
import { type AskOnce, pagesOf } from '../platform/listing/pages.ts';
import type { Reads } from '../platform/listing/reads.ts';
import { phone } from '../platform/listing/search.ts';
import type { ListedTable } from '../platform/listing/table.ts';
import { type ContactRow, contactColumns } from './queries.ts';

/** A phone as stored; any other text unchanged. */
const withPlus = (given: string) => (phone.test(given) ? `+${given.replace(/\D/g, '')}` : given);

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
  objects: { custom_fields: { sql: 'k.custom_fields' } },
  names: {
    tags: {
      from: `
        contact_tags a
        join tags t on t.organization_id = a.organization_id and t.id = a.tag_id
       where a.organization_id = k.organization_id and a.contact_id = k.id`,
      name: 't.name',
    },
  },
  search: { text: 'k.search', words: 'k.name' },
};

/** Throws 400 for filters that are not a JSON array, 422 for invalid filters. */
export const readContactListing = (request: ListRequest): Listing => readListing('contacts', contactFields, request);

export const contactTable: ListedTable = { name: 'contacts', fields: contactFields, columns: contactColumns };

export const listContacts = (
  reads: Reads,
  organizationId: string,
  listing: Listing,
  page: ListPage & { includeTotal?: boolean },
): Promise<ListRows<ContactRow>> => listRows(reads, contactTable, organizationId, listing, page);

export const contactPages = (askOnce: AskOnce, organizationId: string, listing: Listing, size?: number, begin?: Position) =>
  pagesOf<ContactRow>(askOnce, contactTable, organizationId, listing, { size, begin });

/** Whether its contacts are compared one after the other: an index that finds some of them would be searched for each window. */
export const isWalked = (listing: Listing) => listingSql(contactTable, listing, bindTo([])).where === '';

/** Contacts by id, after `after` and up to `last`; null: without such an end. */
export type KeysWindow = { known: string[]; after: string | null; last: string | null };
export type KeysSeen = { looked: number; others: number; last: string | null };

/** SQL: conditions of any listing. How many of the next `length` contacts have a custom field that `known` lacks. */
export function otherKeysStatement(
  organizationId: string,
  listing: Listing,
  { known, after }: Omit<KeysWindow, 'last'>,
  length: number,
) {
  const params: unknown[] = [organizationId];
  const bind = bindTo(params);
  const { from, where, rest } = listingSql(contactTable, listing, bind);
  const text = `
    select count(*)::int as looked,
           count(*) filter (where k.custom_fields - ${bind(known)}::text[] <> '{}')::int as others,
           max(k.id::text collate "C") as last
      from (select k.id, case when true${rest} then k.custom_fields else '{}' end as custom_fields
              from contacts k${from}
             where k.organization_id = $1${where}${after === null ? '' : ` and k.id > ${bind(after)}::uuid`}
             order by k.id
             limit ${bind(length)}) k`;
  return { text, params };
}

/** SQL: conditions of any listing. The custom fields in the window that `known` lacks, `limit` at most. */
export function keysStatement(organizationId: string, listing: Listing, { known, after, last }: KeysWindow, limit: number) {
  const params: unknown[] = [organizationId];
  const bind = bindTo(params);
  const { from, where, rest } = listingSql(contactTable, listing, bind);
  const text = `
    select distinct f.key
      from contacts k${from}, jsonb_object_keys(k.custom_fields - ${bind(known)}::text[]) as f(key)
     where k.organization_id = $1
       and k.custom_fields <> '{}'${where}${rest}
       ${after === null ? '' : `and k.id > ${bind(after)}::uuid`}
       ${last === null ? '' : `and k.id <= ${bind(last)}::uuid`}
     limit ${bind(limit)}`;
  return { text, params };
}
