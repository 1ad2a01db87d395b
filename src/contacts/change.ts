import { invalidField } from '../platform/errors.ts';
import { LocksOutdated } from '../platform/ledger/locks.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { ContactTx } from './contact-tx.ts';
import { contactLock } from './events.ts';
import { type ContactFields, faultOfCustom } from './fields.ts';
import { type ContactRow, contactColumns } from './queries.ts';

/** Undefined: unchanged. An empty text empties the field. */
export type Changes = Omit<ContactFields, 'custom_fields'> & { custom_fields?: Record<string, unknown> };

/** In an upsert an empty text changes nothing. */
export function mergedFields({ custom_fields, external_source, external_id, ...texts }: ContactFields): Changes {
  const given = Object.fromEntries(Object.entries(texts).filter(([, text]) => text));
  return { ...given, ...(external_id && { external_id, external_source }), ...(custom_fields && { custom_fields }) };
}

const names = ['name', 'phone_number', 'email', 'external_source', 'external_id', 'custom_fields'] as const;
export type Changed = { row: ContactRow; before: Pick<ContactRow, (typeof names)[number]> };

/** SQL: one statement merges the fields and gives the row before and after (bench: upsert). */
const update = `
  with u as (
    update contacts k
       set name = coalesce($3, k.name),
           phone_number = coalesce($4, k.phone_number),
           email = coalesce($5, k.email),
           external_source = coalesce($6, k.external_source),
           external_id = coalesce($7, k.external_id),
           custom_fields = (k.custom_fields || $8::jsonb) - $9::text[],
           updated_at = clock_timestamp()
     where k.organization_id = $1
       and k.id = $2
       and (k.name, k.phone_number, k.email, k.external_source, k.external_id, k.custom_fields)
           is distinct from
           (coalesce($3, k.name), coalesce($4, k.phone_number), coalesce($5, k.email), coalesce($6, k.external_source),
            coalesce($7, k.external_id), (k.custom_fields || $8::jsonb) - $9::text[])
    returning new.*, to_jsonb(old) as before)
  select ${contactColumns}, k.before
    from u k
  union all
  select ${contactColumns}, null
    from contacts k
   where k.organization_id = $1
     and k.id = $2
     and not exists (select 1 from u)`;

/** `updated_at` changes only with a column. Undefined: no such contact. Throws 422 when custom fields exceed a limit. */
export async function updateContact(tx: OwnTx, id: string, changes: Changes): Promise<Changed | undefined> {
  tx.assertLocked(contactLock(id));
  const entries = Object.entries(changes.custom_fields ?? {});
  const [row] = await tx.sql<ContactRow & { before: Changed['before'] | null }>(update, [
    id,
    changes.name ?? null,
    changes.phone_number ?? null,
    changes.email ?? null,
    changes.external_source ?? null,
    changes.external_id ?? null,
    JSON.stringify(Object.fromEntries(entries.filter(([, value]) => value !== null))),
    entries.filter(([, value]) => value === null).map(([key]) => key),
  ]);
  if (!row) return undefined;
  const { before, ...contact } = row;
  const fault = faultOfCustom(contact.custom_fields);
  if (fault) throw invalidField('custom_fields', fault.message, fault.code);
  return { row: contact, before: before ?? contact };
}

export const changedFields = ({ row, before }: Changed): string[] =>
  names.filter((name) => JSON.stringify(row[name]) !== JSON.stringify(before[name]));

/** Also adds the change to the event and the search column. Throws LocksOutdated when the contact is missing. */
export async function changeColumns(tx: ContactTx, changes: Changes): Promise<Changed> {
  const changed = await updateContact(tx, tx.contactId, changes);
  if (!changed) throw new LocksOutdated();
  const { row, before } = changed;
  tx.named(row.name);
  tx.changed(...changedFields(changed));
  // The old address remains one of the contact's other addresses.
  const isReplaced = (field: 'phone_number' | 'email') => before[field] && before[field] !== row[field];
  if (isReplaced('phone_number') || isReplaced('email')) tx.addressesChanged();
  return changed;
}
