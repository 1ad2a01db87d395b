import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { Contact } from './contact.entity.ts';
import { ContactMerge } from './merging/merge.entity.ts';

type ContactColumn =
  | 'id'
  | 'phone_number'
  | 'name'
  | 'email'
  | 'external_source'
  | 'external_id'
  | 'custom_fields'
  | 'created_at'
  | 'updated_at';
export type ContactRow = RowOf<typeof Contact, ContactColumn> & { tags: string[] };

/** The fields of the wire, from a table or CTE called `k`. */
export const contactColumns = `
  k.id, k.phone_number, k.name, k.email, k.external_source, k.external_id, k.custom_fields, k.created_at, k.updated_at,
  array(
    select t.name
      from contact_tags a
      join tags t on t.organization_id = a.organization_id and t.id = a.tag_id
     where a.organization_id = k.organization_id and a.contact_id = k.id
     order by t.name) as tags`;

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

/** Throws 404, which names the survivor when the contact was merged. */
export async function getContact(own: Own, id: string): Promise<ContactRow> {
  const row = await findContactById(own, id);
  if (row) return row;
  throw await contactNotFound(own, id);
}

const contactIsThere = statement((select, { id }: { id: string }) => select(Contact).select('id').where('id', '=', id));
const survivorOf = statement((select, { id }: { id: string }) =>
  select(ContactMerge).select('contact_id').where('merged_id', '=', id),
);

/** Throws 404 as getContact. */
export async function assertContact(own: Own, id: string): Promise<void> {
  const found = await contactIsThere(own, { id });
  if (found.length === 0) throw await contactNotFound(own, id);
}

/** Merges that follow each other: far more than one person has. */
const maxMerges = 20;

/** The contact, or the one that it became part of. Throws 404 for one that was erased, or was never there. */
export async function presentContact(own: Own, id: string): Promise<string> {
  let at = id;
  for (let merges = 0; merges <= maxMerges; merges += 1) {
    if ((await contactIsThere(own, { id: at })).length > 0) return at;
    const [merge] = await survivorOf(own, { id: at });
    if (!merge) break;
    at = merge.contact_id;
  }
  throw notFound('Contact');
}

const inPath = { field: 'contactID', location: 'path' } as const;
export const inBody = { field: 'contact_id', location: 'body' } as const;

export async function contactNotFound(own: Own, id: string, at: typeof inPath | typeof inBody = inPath): Promise<AppError> {
  const [merge] = await survivorOf(own, { id });
  if (!merge) return notFound('Contact');
  const message = 'The contact was merged into another one';
  return new AppError('not_found', message, {
    details: [{ ...at, code: 'merged', message, value: merge.contact_id }],
  });
}
