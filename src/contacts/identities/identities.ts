import type { Em } from '../../platform/database/database.ts';
import { ownRows } from '../../platform/database/own.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import type { Tx } from '../../platform/ledger/tx.ts';
import { type Page, pageOfTable } from '../../platform/listing/paging.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { type Changes, changedFields, refreshAddresses, updateContact } from '../change.ts';
import { emitUpdated } from '../events.ts';
import { foldedEmail } from '../fields.ts';
import { toIdentity } from '../lookup.ts';
import { suppressAgain } from '../permission/suppressed-addresses.ts';
import { assertContact, columnsOf, getContact, type Identity, insertIdentitiesSql } from '../queries.ts';
import { sourced } from './resolve.ts';

export type IdentityRow = Identity & { id: string; created_at: string };

const columns = 'id, type, source, value, created_at';
const select = `select ${columns} from contact_identities where organization_id = $1 and contact_id = $2`;

/** Throws 404. */
export async function listIdentities(em: Em, organizationId: string, contactId: string, page: Page) {
  await assertContact(ownRows(em, organizationId), contactId);
  return pageOfTable<IdentityRow>(em, select, [organizationId, contactId], page);
}

/** A phone and the app's id of it are one address in two spellings: they come and go together. */
function spellingsOf(identity: Identity): Identity[] {
  if (identity.type === 'phone') return sourced({ phone: identity.value });
  return identity.type === 'messaging_app' ? sourced({ phoneId: identity.value }) : [identity];
}

/** Gives the contact an address; `isNew` false when it has it. The contact's lock is held. Throws 404, and 409 when it is another's. */
export async function addIdentity(
  tx: Tx,
  secrets: Secrets,
  organizationId: string,
  contactId: string,
  given: { type: Identity['type']; value: string; source?: string },
): Promise<{ row: IdentityRow; isNew: boolean }> {
  const { name, phone_number, email, external_id } = await getContact(tx.of(organizationId), contactId);
  const asked = toIdentity(given.type, given.value, given.source);
  const spellings = spellingsOf(asked);
  const added = await insertIdentities(tx, organizationId, contactId, spellings);
  const rows = await identitiesAmong(tx, organizationId, spellings);
  const stranger = rows.find(({ contact_id }) => contact_id !== contactId);
  if (stranger) throw anothers(stranger.contact_id);
  const row = rows.find(({ type, value }) => type === asked.type && value === asked.value);
  // Whose it was has let go of it between the two statements.
  if (!row || rows.length < spellings.length) throw new LocksOutdated();
  if (added.length > 0) {
    suppressAgain(tx, secrets, organizationId, contactId, added);
    const first = (type: Identity['type']) => added.find((identity) => identity.type === type);
    await announce(
      tx,
      organizationId,
      { id: contactId, name },
      {
        ...(!phone_number && { phone_number: first('phone')?.value }),
        ...(!email && { email: first('email')?.value }),
        ...(!external_id && { external_source: first('external_id')?.source, external_id: first('external_id')?.value }),
      },
    );
  }
  return { row, isNew: added.some(({ type }) => type === asked.type) };
}

/** Those that were nobody's before. */
export function insertIdentities(tx: Tx, organizationId: string, contactId: string, identities: Identity[]): Promise<Identity[]> {
  return tx.query<Identity>(
    `${insertIdentitiesSql(3)}
     on conflict on constraint contact_identities_value do nothing returning type, source, value`,
    [organizationId, contactId, ...columnsOf(identities)],
  );
}

const identitiesAmong = (tx: Tx, organizationId: string, identities: Identity[]) =>
  tx.query<IdentityRow & { contact_id: string }>(
    `select i.id, i.type, i.source, i.value, i.created_at, i.contact_id from unnest($2::text[], $3::text[], $4::text[]) as x(type, source, value)
       join contact_identities i on i.organization_id = $1 and i.type = x.type and i.source = x.source and i.value = x.value`,
    [organizationId, ...columnsOf(identities)],
  );

const anothers = (value: string) =>
  new AppError('conflict', 'The identity is another contact’s', {
    details: [{ field: 'value', location: 'body', code: 'contact', message: 'It belongs to this contact', value }],
  });

/**
 * Takes an address from the contact, in both spellings; its own columns take the next of that type or become empty. The contact's lock
 * is held. Throws 404, and 409 for the last one.
 */
export async function removeIdentity(tx: Tx, organizationId: string, contactId: string, identityId: string): Promise<void> {
  const contact = await getContact(tx.of(organizationId), contactId);
  const [identity] = await tx.query<IdentityRow>(`${select} and id = $3`, [organizationId, contactId, identityId]);
  if (!identity) throw notFound('Identity');
  const gone = spellingsOf(identity);
  await deleteIdentities(tx, organizationId, contactId, gone);
  const left = await mustHaveIdentity(tx, organizationId, contactId);
  const next = (type: Identity['type']) => left.find((other) => other.type === type);
  const lost = (type: Identity['type'], value: string, source = '') =>
    gone.some((each) => each.type === type && each.value === value && each.source === source);
  await announce(tx, organizationId, contact, {
    ...(lost('phone', contact.phone_number) && { phone_number: next('phone')?.value ?? '' }),
    ...(lost('email', foldedEmail(contact.email)) && { email: next('email')?.value ?? '' }),
    ...(lost('external_id', contact.external_id, contact.external_source) && {
      external_source: next('external_id')?.source ?? '',
      external_id: next('external_id')?.value ?? '',
    }),
  });
}

/** What is left after one has gone, oldest first. Throws 409 when it was the last: nobody could find the contact by anything again. */
export async function mustHaveIdentity(tx: Tx, organizationId: string, contactId: string): Promise<IdentityRow[]> {
  const left = await tx.query<IdentityRow>(`${select} order by created_at, id`, [organizationId, contactId]);
  if (left.length > 0) return left;
  throw new AppError('conflict', 'The last identity of a contact cannot be removed: give it another, or delete the contact');
}

export async function deleteIdentities(
  tx: Tx,
  organizationId: string,
  contactId: string,
  identities: Identity[],
): Promise<number> {
  const rows = await tx.query(
    `delete from contact_identities i using unnest($3::text[], $4::text[], $5::text[]) as x(type, source, value)
      where i.organization_id = $1 and i.contact_id = $2 and i.type = x.type and i.source = x.source and i.value = x.value returning 1`,
    [organizationId, contactId, ...columnsOf(identities)],
  );
  return rows.length;
}

/** Writes the columns that follow the identities, what the search knows, and the event. */
export async function announce(
  tx: Tx,
  organizationId: string,
  contact: { id: string; name: string },
  changes: Changes,
): Promise<void> {
  const changed = await updateContact(tx, organizationId, contact.id, changes);
  await refreshAddresses(tx, organizationId, contact.id);
  emitUpdated(tx, organizationId, contact, [...changedFields(changed!, []), 'identities']);
}
