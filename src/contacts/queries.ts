import type { Source } from '../platform/database/database.ts';
import type { Own } from '../platform/database/own.ts';
import { query } from '../platform/database/query.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { Contact, type IdentityType } from './contact.entity.ts';
import { ContactMerge } from './merging/merge.entity.ts';

export type ContactRow = {
  id: string;
  phone_number: string;
  name: string;
  email: string;
  external_source: string;
  external_id: string;
  custom_fields: Record<string, unknown>;
  tags: string[];
  created_at: string;
  updated_at: string;
};

/** What the wire shows of a contact, from a table or CTE called `k`. */
export const contactColumns = `k.id, k.phone_number, k.name, k.email, k.external_source, k.external_id, k.custom_fields, k.created_at, k.updated_at,
  array(select t.name from contact_tags a join tags t on t.organization_id = a.organization_id and t.id = a.tag_id
         where a.organization_id = k.organization_id and a.contact_id = k.id order by t.name) as tags`;

/** SQL: the tags are a list made of a second table. */
export async function findContactById(own: Own, id: string): Promise<ContactRow | undefined> {
  const [row] = await own.sql<ContactRow>(
    `select ${contactColumns}
       from contacts k
      where k.organization_id = $1 and k.id = $2`,
    [id],
  );
  return row;
}

/** Throws 404, which names the survivor when the contact became part of another. */
export async function getContact(own: Own, id: string): Promise<ContactRow> {
  const row = await findContactById(own, id);
  if (row) return row;
  throw await contactNotFound(own, id);
}

const contactIsThere = statement((select, { id }: { id: string }) => select(Contact).select('id').where('id', '=', id));
const survivorOf = statement((select, { id }: { id: string }) =>
  select(ContactMerge).select('contact_id').where('merged_id', '=', id),
);

/** Throws 404 as getContact. For what only needs to know that it is there. */
export async function assertContact(own: Own, id: string): Promise<void> {
  const found = await contactIsThere(own, { id });
  if (found.length === 0) throw await contactNotFound(own, id);
}

const inPath = { field: 'contactID', location: 'path' } as const;
/** Where a caller named a contact in the body. */
export const inBody = { field: 'contact_id', location: 'body' } as const;

export async function contactNotFound(own: Own, id: string, at: typeof inPath | typeof inBody = inPath): Promise<AppError> {
  const [merge] = await survivorOf(own, { id });
  if (!merge) return notFound('Contact');
  const message = 'The contact was merged into another one';
  return new AppError('not_found', message, {
    details: [{ ...at, code: 'merged', message, value: merge.contact_id }],
  });
}

export type Identity = { type: IdentityType; source: string; value: string };

/**
 * Identities as $`first` and the two parameters after it, the organization being $1, and who has them. `offset 0` keeps each look a look by
 * index: a plan made for all organizations would join all the contacts of this one.
 */
export const ownersPart = (first: number) =>
  `unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::text[]) as x(type, source, value),
     lateral (select o.contact_id, o.type, o.source, o.value from contact_identities o
       where o.organization_id = $1 and o.type = x.type and o.source = x.source and o.value = x.value offset 0) i`;

/** The contacts that identities belong to, each once; the oldest first. */
export async function ownersOf(source: Source, organizationId: string, identities: Identity[]): Promise<string[]> {
  const rows = await query<{ contact_id: string }>(source, `select distinct i.contact_id from ${ownersPart(2)} order by 1`, [
    organizationId,
    ...columnsOf(identities),
  ]);
  return rows.map(({ contact_id }) => contact_id);
}

/** Identities as the three arrays that statements unnest. */
export const columnsOf = (identities: Identity[]) => [
  identities.map(({ type }) => type),
  identities.map(({ source }) => source),
  identities.map(({ value }) => value),
];

/**
 * Gives the contact $2 of the organization $1 the identities of $`first` and the two parameters after it. All writers go in one order, or
 * two who make the same person would each wait for what the other has written first.
 */
export const insertIdentitiesSql = (first: number, { organization, contact } = { organization: '$1', contact: '$2' }) => `
  insert into contact_identities (id, organization_id, contact_id, type, source, value)
  select uuidv7(), ${organization}::uuid, ${contact}::uuid, x.type, x.source, x.value from unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::text[]) as x(type, source, value)
   order by x.type, x.source, x.value`;
