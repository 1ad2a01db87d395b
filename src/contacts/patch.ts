import { AppError } from '../platform/errors.ts';
import { LocksOutdated } from '../platform/ledger/locks.ts';
import type { Secrets } from '../platform/secrets.ts';
import { changeColumns } from './change.ts';
import type { ContactTx } from './contact-tx.ts';
import { contactEmail, contactName, customFields, foldedEmail } from './fields.ts';
import { assertIdentityLeft } from './identities/identities.ts';
import { type Identity, ownersOf } from './identities/identity.ts';
import { giveIdentities, takeIdentities } from './identities/write.ts';
import type { ContactRow } from './queries.ts';

export type ContactPatch = { name?: string; email?: string; custom_fields?: Record<string, unknown> };
export const contactPatchFields = { name: contactName.allow(''), email: contactEmail.allow(''), custom_fields: customFields };

/** An empty text empties a field. Throws 409 when another contact has the email, or when it was the last identity. */
export async function patchContact(tx: ContactTx, secrets: Secrets, patch: ContactPatch): Promise<ContactRow> {
  const { row, before } = await changeColumns(tx, patch);
  if (foldedEmail(row.email) !== foldedEmail(before.email)) await replaceEmail(tx, secrets, before.email, row.email);
  return row;
}

const emailIdentity = (email: string): Identity => ({ type: 'email', source: '', value: foldedEmail(email) });

async function replaceEmail(tx: ContactTx, secrets: Secrets, before: string, after: string) {
  await takeIdentities(tx, [emailIdentity(before)]);
  if (after) await giveEmail(tx, secrets, emailIdentity(after));
  else await assertIdentityLeft(tx);
  tx.changed('identities');
  // Also when the new one was one of its others already.
  tx.addressesChanged();
}

async function giveEmail(tx: ContactTx, secrets: Secrets, identity: Identity) {
  const given = await giveIdentities(tx, secrets, [identity]);
  if (given.length > 0) return;
  const [owner] = await ownersOf(tx, [identity]);
  if (owner === tx.contactId) return;
  // Another contact lost it between the two statements.
  if (!owner) throw new LocksOutdated();
  throw new AppError('conflict', 'The email is another contact’s', {
    details: [{ field: 'email', location: 'body', code: 'contact', message: 'It belongs to this contact', value: owner }],
  });
}
