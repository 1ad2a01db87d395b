import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import { list, type Page } from '../../platform/listing/paging.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { changeColumns } from '../change.ts';
import { ContactIdentity } from '../contact.entity.ts';
import type { ContactTx } from '../contact-tx.ts';
import { foldedEmail } from '../fields.ts';
import { toIdentity } from '../lookup.ts';
import { assertContact, getContact } from '../queries.ts';
import { columnsOf, type Identity, ownersOf, respelled } from './identity.ts';
import { sourced } from './resolve.ts';
import { giveIdentities, takeIdentities } from './write.ts';

const columns = ['id', 'type', 'source', 'value', 'created_at'] as const;
export type IdentityRow = RowOf<typeof ContactIdentity, (typeof columns)[number]>;
type OwnedIdentity = RowOf<typeof ContactIdentity, (typeof columns)[number] | 'contact_id'>;

const identities = list((select, { contactId }: { contactId: string }) =>
  select(ContactIdentity).select(columns).where('contact_id', '=', contactId),
);
const identitiesFromOldest = statement((select, { contactId }: { contactId: string }) =>
  select(ContactIdentity).select(columns).where('contact_id', '=', contactId).orderBy('created_at').orderBy('id'),
);

export async function listIdentities(own: Own, contactId: string, page: Page) {
  await assertContact(own, contactId);
  return identities(own, { contactId }, page);
}

/** A phone and the app's id of it are one address: both are added and removed together. */
function spellingsOf(identity: Identity): Identity[] {
  if (identity.type === 'phone') return sourced({ phone: identity.value });
  return identity.type === 'messaging_app' ? sourced({ phoneId: identity.value }) : [identity];
}

/** `isNew` is false when the contact has the address already. Throws 409 when another contact has it. */
export async function addIdentity(
  tx: ContactTx,
  secrets: Secrets,
  given: { type: Identity['type']; value: string; source?: string },
): Promise<{ row: IdentityRow; isNew: boolean }> {
  const { phone_number, email, external_id } = await getContact(tx, tx.contactId);
  const asked = toIdentity(given.type, given.value, given.source);
  const spellings = spellingsOf(asked);
  const other = respelled(asked);
  const [owner] = other ? (await ownersOf(tx, [asked])).filter((one) => one !== tx.contactId) : [];
  if (owner) throw anothers(owner);
  const added = await giveIdentities(tx, secrets, spellings);
  const rows = await identitiesAmong(tx, spellings);
  const stranger = rows.find(({ contact_id }) => contact_id !== tx.contactId);
  if (stranger) throw anothers(stranger.contact_id);
  const row = rows.find(({ type, value }) => type === asked.type && value === asked.value);
  // Another contact lost it between the two statements.
  if (!row || rows.length < spellings.length) throw new LocksOutdated();
  const first = (type: Identity['type']) => added.find((identity) => identity.type === type);
  if (added.length > 0)
    await changeColumns(tx, {
      ...(!phone_number && { phone_number: first('phone')?.value }),
      ...(!email && { email: first('email')?.value }),
      ...(!external_id && { external_source: first('external_id')?.source, external_id: first('external_id')?.value }),
    });
  return { row, isNew: added.some(({ type }) => type === asked.type) };
}

/** SQL: a set. */
const identitiesAmong = (own: Own, among: Identity[]) =>
  own.sql<OwnedIdentity>(
    `select i.id, i.type, i.source, i.value, i.created_at, i.contact_id
       from unnest($2::text[], $3::text[], $4::text[]) as x(type, source, value)
       join contact_identities i
         on i.organization_id = $1 and i.type = x.type and i.source = x.source and i.value = x.value`,
    columnsOf(among),
  );

const anothers = (value: string) =>
  new AppError('conflict', 'The identity is another contact’s', {
    details: [{ field: 'value', location: 'body', code: 'contact', message: 'It belongs to this contact', value }],
  });

/** Removes both spellings; the next address of that type moves into the contact's column. Throws 409 for the last one. */
export async function removeIdentity(tx: ContactTx, identityId: string): Promise<void> {
  const contact = await getContact(tx, tx.contactId);
  const identity = await tx.findOne(ContactIdentity, { contact_id: tx.contactId, id: identityId });
  if (!identity) throw notFound('Identity');
  const removed = spellingsOf(identity);
  await takeIdentities(tx, removed);
  const left = await assertIdentityLeft(tx);
  const next = (type: Identity['type']) => left.find((other) => other.type === type);
  const isRemoved = (type: Identity['type'], value: string, source = '') =>
    removed.some((each) => each.type === type && each.value === value && each.source === source);
  await changeColumns(tx, {
    ...(isRemoved('phone', contact.phone_number) && { phone_number: next('phone')?.value ?? '' }),
    ...(isRemoved('email', foldedEmail(contact.email)) && { email: next('email')?.value ?? '' }),
    ...(isRemoved('external_id', contact.external_id, contact.external_source) && {
      external_source: next('external_id')?.source ?? '',
      external_id: next('external_id')?.value ?? '',
    }),
  });
}

/** Oldest first. Throws 409 when none is left: nobody could find the contact again. */
export async function assertIdentityLeft(tx: ContactTx): Promise<IdentityRow[]> {
  const left = await identitiesFromOldest(tx, { contactId: tx.contactId });
  if (left.length > 0) return left;
  throw new AppError('conflict', 'The last identity of a contact cannot be removed: give it another, or delete the contact');
}
