import { invalidField } from '../platform/errors.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import { type ContactFields, faultOfCustom } from './fields.ts';
import { type ContactRow, contactColumns, type Identity } from './queries.ts';

/** Undefined: stays as it is. An empty text empties. */
export type Changes = Omit<ContactFields, 'custom_fields'> & { custom_fields?: Record<string, unknown> };

/** What an upsert changes: an empty text says nothing there. */
export function mergedFields({ custom_fields, external_source, external_id, ...texts }: ContactFields): Changes {
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text));
  return { ...given, ...(external_id && { external_id, external_source }), ...(custom_fields && { custom_fields }) };
}

const names = ['name', 'phone_number', 'email', 'external_source', 'external_id', 'custom_fields'] as const;
export type Changed = { row: ContactRow; before: Pick<ContactRow, (typeof names)[number]> };

/**
 * Other phones and emails of a contact than those in its own columns, for the search. `k` is the contact; written whenever its identities
 * or these columns change, and nowhere else.
 */
export const otherAddresses = `coalesce((select string_agg(E'\\n' || case i.type when 'phone' then ltrim(i.value, '+') else fold(i.value) end, '' order by i.value)
    from contact_identities i where i.organization_id = k.organization_id and i.contact_id = k.id
     and ((i.type = 'phone' and i.value <> k.phone_number) or (i.type = 'email' and i.value <> lower(k.email)))), '')`;

const update = `update contacts k set name = coalesce($3, k.name), phone_number = coalesce($4, k.phone_number), email = coalesce($5, k.email),
    external_source = coalesce($6, k.external_source), external_id = coalesce($7, k.external_id),
    custom_fields = (k.custom_fields || coalesce($8::jsonb, '{}')) - coalesce($9::text[], '{}'),
    updated_at = clock_timestamp()
  where k.organization_id = $1 and k.id = $2`;

const given = `(k.name, k.phone_number, k.email, k.external_source, k.external_id, k.custom_fields)`;
const wanted = `(coalesce($3, k.name), coalesce($4, k.phone_number), coalesce($5, k.email), coalesce($6, k.external_source), coalesce($7, k.external_id),
  (k.custom_fields || coalesce($8::jsonb, '{}')) - coalesce($9::text[], '{}'))`;

/**
 * Changes a contact's own columns; `updated_at` only when one of them becomes another. The contact's lock is held. Undefined when there is
 * no such contact; throws 422 when the custom fields would be too many or too large together.
 */
export async function updateContact(tx: Tx, organizationId: string, id: string, changes: Changes): Promise<Changed | undefined> {
  const { custom_fields = {} } = changes;
  const entries = Object.entries(custom_fields);
  const params = [
    organizationId,
    id,
    changes.name ?? null,
    changes.phone_number ?? null,
    changes.email ?? null,
    changes.external_source ?? null,
    changes.external_id ?? null,
    JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== null))),
    entries.filter(([, value]) => value === null).map(([key]) => key),
  ];
  const [row] = await tx.query<ContactRow & { before: Changed['before'] | null }>(
    `with u as (${update} and ${given} is distinct from ${wanted} returning new.*, to_jsonb(old) as before)
     select ${contactColumns}, k.before from u k
     union all
     select ${contactColumns}, null from contacts k where k.organization_id = $1 and k.id = $2 and not exists (select 1 from u)`,
    params,
  );
  if (!row) return undefined;
  const { before, ...contact } = row;
  const fault = faultOfCustom(contact.custom_fields);
  if (fault) throw invalidField('custom_fields', fault.message, fault.code);
  return { row: contact, before: before ?? contact };
}

/** As the API names what became another, identities among it. */
export function changedFields({ row, before }: Changed, identities: Identity[]): string[] {
  const changed = names.filter((name) => JSON.stringify(row[name]) !== JSON.stringify(before[name]));
  return [...changed, ...(identities.length > 0 ? ['identities'] : [])];
}

/** Brings what the search knows of a contact's addresses up to its identities. The contact's lock is held. */
export async function refreshAddresses(tx: Tx, organizationId: string, id: string): Promise<void> {
  await tx.query(
    `update contacts k set other_addresses = ${otherAddresses} where k.organization_id = $1 and k.id = $2 and k.other_addresses is distinct from ${otherAddresses}`,
    [organizationId, id],
  );
}
