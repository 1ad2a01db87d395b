import { contactLock } from '../../contacts/events.ts';
import { assertContact } from '../../contacts/queries.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { DealContact } from '../deal.entity.ts';
import { dealWrite } from '../deal-row.ts';
import type { DealTx } from '../deal-tx.ts';

export const maxContactsOfDeal = 100;

/** Throws 422. */
export function assertRoom(contacts: number): void {
  if (contacts > maxContactsOfDeal) throw new AppError('limit_reached', `A deal has at most ${maxContactsOfDeal} contacts`);
}

/** A merge moves links under the contacts' locks alone. */
export const contactLinkOf = (dealId: string, contactId: string) => dealWrite(dealId, [contactLock(contactId)]);

/** SQL: an insert that becomes an update. */
const writeLink = `
  insert into deal_contacts (organization_id, deal_id, contact_id, role, is_primary)
  values ($1, $2, $3, $4, $5)
  on conflict on constraint deal_contacts_pkey do update
     set role = excluded.role, is_primary = excluded.is_primary`;

export type LinkGiven = { role?: string; is_primary?: boolean };

/** What is not given stays; a deal's first contact is its primary one. Throws 404 for an unknown contact, 422 at the limit. */
export async function linkContact(tx: DealTx, contactId: string, given: LinkGiven): Promise<void> {
  const { deal } = tx;
  tx.assertLocked(contactLock(contactId));
  const before = deal.contacts.find(({ contact_id }) => contact_id === contactId);
  if (!before) await assertContact(tx, contactId);
  if (!before) assertRoom(deal.contacts.length + 1);
  const { role = before?.role ?? '', is_primary = before?.is_primary ?? deal.contacts.length === 0 } = given;
  if (before && before.role === role && before.is_primary === is_primary) return;
  const after = { contact_id: contactId, role, is_primary };
  const other = is_primary ? deal.contacts.filter((one) => one.is_primary && one.contact_id !== contactId) : [];
  if (other.length > 0) await tx.update(DealContact, { deal_id: deal.id, is_primary: true }, { is_primary: false });
  await tx.sql(writeLink, [deal.id, contactId, role, is_primary]);
  tx.changed('contacts', {
    from: [...(before ? [before] : []), ...other],
    to: [after, ...other.map((one) => ({ ...one, is_primary: false }))],
  });
}

/** In the place of the primary contact comes the oldest that is left. Throws 404 for a contact that the deal does not have. */
export async function unlinkContact(tx: DealTx, contactId: string): Promise<void> {
  const before = tx.deal.contacts.find(({ contact_id }) => contact_id === contactId);
  if (!before) throw notFound('Contact');
  await tx.delete(DealContact, { deal_id: tx.deal.id, contact_id: contactId });
  // The primary one is first of a deal's contacts, the others follow by age.
  const next = before.is_primary ? tx.deal.contacts[1] : undefined;
  if (!next) return tx.changed('contacts', { from: [before], to: [] });
  await tx.update(DealContact, { deal_id: tx.deal.id, contact_id: next.contact_id }, { is_primary: true });
  tx.changed('contacts', { from: [before, next], to: [{ ...next, is_primary: true }] });
}
