import type pg from 'pg';
import { listContacts, readContactListing } from '../../src/contacts/list.ts';
import { lookUpContact } from '../../src/contacts/lookup.ts';
import { findContactById } from '../../src/contacts/queries.ts';
import type { Source } from '../../src/platform/database/database.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { cursorOf } from '../../src/platform/listing/cursor.ts';
import { beginOf } from '../../src/platform/listing/listing.ts';
import type { Owner } from './dataset.ts';
import { unbounded } from './plan.ts';

/** A contact of the owner's, taken by chance, and how a page deep in the list is reached. */
export type Sample = {
  id: string;
  phone: string;
  email: string;
  externalId: string;
  lastName: string;
  ref: string;
  cursor: string;
};

/** One read, as a client asks for it and as the code does: the first is measured, of the second the plan is shown. */
export type Read = {
  name: string;
  /** What its p50 must hold: a share of the small one's, or milliseconds. */
  aim: { ratio: number } | { ms: number };
  path(sample: Sample): string;
  body?(sample: Sample): object;
  run(source: Source, owner: Owner, sample: Sample): Promise<unknown>;
};

export const pageSize = 10;
export const deepPage = 1_000;

const lookup = (
  name: string,
  identifierOf: (sample: Sample) => { type: 'contact_id' | 'phone' | 'external_id'; value: string; source?: string },
): Read => ({
  name,
  aim: { ratio: 1.5 },
  path: () => '/v1/contacts/lookup',
  body: (sample) => ({ identifiers: [identifierOf(sample)] }),
  run: (source, { organizationId }, sample) => lookUpContact(ownRows(source, organizationId), [identifierOf(sample)]),
});

type Query = { sort?: string; filters?: string; search?: string; cursor?: string };
const list = (name: string, aim: Read['aim'], queryOf: (sample: Sample) => Query): Read => ({
  name,
  aim,
  path: (sample) => `/v1/contacts?${new URLSearchParams({ limit: String(pageSize), ...queryOf(sample) })}`,
  run(source, { organizationId }, sample) {
    const { cursor, ...request } = queryOf(sample);
    const listing = readContactListing(request);
    const after = cursor ? beginOf(listing, cursor) : undefined;
    return listContacts(unbounded(source), organizationId, listing, { limit: pageSize, after });
  },
});

const byName = readContactListing({ sort: 'name' });
/** Among the names that begin with M, wherever these are in the list. */
const nameCursor = cursorOf(byName.binding, ['m', '00000000-0000-7000-8000-000000000000']);

const custom = (key: string, valueFor: (sample: Sample) => string) => (sample: Sample) => ({
  filters: JSON.stringify([{ field: `custom_fields.${key}`, value: valueFor(sample) }]),
});
const search = (name: string, wordsOf: (sample: Sample) => string) =>
  list(`search, ${name}`, { ms: 50 }, (sample) => ({ search: wordsOf(sample) }));

export const reads: Read[] = [
  {
    name: 'get',
    aim: { ratio: 1.5 },
    path: ({ id }) => `/v1/contacts/${id}`,
    run: (source, { organizationId }, { id }) => findContactById(ownRows(source, organizationId), id),
  },
  lookup('lookup by id', ({ id }) => ({ type: 'contact_id', value: id })),
  lookup('lookup by phone', ({ phone }) => ({ type: 'phone', value: phone })),
  lookup('lookup by external id', ({ externalId }) => ({ type: 'external_id', source: 'shop', value: externalId })),
  list('list, page 1', { ratio: 1.5 }, () => ({})),
  list('list by name, page 1', { ratio: 1.5 }, () => ({ sort: 'name' })),
  list('list by name, from somewhere', { ratio: 1.5 }, () => ({ sort: 'name', cursor: nameCursor })),
  list(`list, page ${deepPage}`, { ratio: 1.5 }, ({ cursor }) => ({ cursor })),
  list(
    'filter, custom field of 70 %',
    { ratio: 1.5 },
    custom('tier', () => 'basic'),
  ),
  list(
    'filter, custom field of 8 %',
    { ratio: 1.5 },
    custom('city', () => 'Wien'),
  ),
  list(
    'filter, custom field of one',
    { ratio: 1.5 },
    custom('ref', ({ ref }) => ref),
  ),
  list('filter, email', { ms: 50 }, ({ email }) => ({ filters: JSON.stringify([{ field: 'email', value: email }]) })),
  search('common word', () => 'maria'),
  search('rare word', ({ lastName }) => lastName),
  search('word of other letters', () => 'иван'),
  search('two words', ({ lastName }) => `jose ${lastName}`),
  search('phone prefix', ({ phone }) => phone.slice(0, 8)),
  search('email prefix', ({ email }) => email.slice(0, 10)),
];

/** Contacts of an owner's with an email and a rare surname; `cursors` lead to the deep page. */
export async function samplesOf(sql: pg.Pool, { organizationId }: Owner, cursors: string[], count: number): Promise<Sample[]> {
  const { rows } = await sql.query(
    `select id, phone_number as phone, email, external_id as "externalId", split_part(name, ' ', 2) as "lastName", custom_fields ->> 'ref' as ref
       from contacts where organization_id = $1 and email <> '' and email !~ '^\\.' and name ~ ' [A-Z][a-z]{8,}$' order by hashint4(right(external_id, -2)::int) limit $2`,
    [organizationId, count],
  );
  return rows.map((row, index) => ({ ...row, cursor: cursors[index % cursors.length]! }));
}
