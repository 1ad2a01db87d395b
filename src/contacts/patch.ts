import { AppError } from '../platform/errors.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { changedFields, refreshAddresses, updateContact } from './change.ts';
import { emitUpdated } from './events.ts';
import { foldedEmail } from './fields.ts';
import { mustHaveIdentity } from './identities/identities.ts';
import { suppressAgain } from './permission/suppressed-addresses.ts';
import { type ContactRow, contactNotFound, type Identity } from './queries.ts';

export type ContactPatch = { name?: string; email?: string; custom_fields?: Record<string, unknown> };

/**
 * Changes what is given; an empty text empties. An email that is replaced is no identity of the contact any more. The contact's lock is
 * held. Throws 404, and 409 when the email is another contact's, or when it was the last identity and no other takes its place.
 */
export async function patchContact(
  tx: Tx,
  secrets: Secrets,
  organizationId: string,
  id: string,
  patch: ContactPatch,
): Promise<ContactRow> {
  const changed = await updateContact(tx, organizationId, id, patch);
  if (!changed) throw await contactNotFound(tx.of(organizationId), id);
  const { row, before } = changed;
  const replaced = foldedEmail(row.email) !== foldedEmail(before.email);
  if (replaced) await replaceEmail(tx, secrets, organizationId, id, before.email, row.email);
  const names = changedFields(changed, []);
  if (names.length > 0) emitUpdated(tx, organizationId, row, replaced ? [...names, 'identities'] : names);
  return row;
}

async function replaceEmail(tx: Tx, secrets: Secrets, organizationId: string, id: string, before: string, after: string) {
  await tx.query(
    `delete from contact_identities where organization_id = $1 and contact_id = $2 and type = 'email' and source = '' and value = $3`,
    [organizationId, id, foldedEmail(before)],
  );
  if (after) {
    const identity: Identity = { type: 'email', source: '', value: foldedEmail(after) };
    const [owner] = await tx.query<{ contact_id: string }>(
      `insert into contact_identities (id, organization_id, contact_id, type, value) values (uuidv7(), $1, $2, 'email', $3)
       on conflict on constraint contact_identities_value do update set value = excluded.value returning contact_id`,
      [organizationId, id, identity.value],
    );
    if (owner!.contact_id !== id)
      throw new AppError('conflict', 'The email is another contact’s', {
        details: [
          { field: 'email', location: 'body', code: 'contact', message: 'It belongs to this contact', value: owner!.contact_id },
        ],
      });
    suppressAgain(tx, secrets, organizationId, id, [identity]);
  } else await mustHaveIdentity(tx, organizationId, id);
  await refreshAddresses(tx, organizationId, id);
}
