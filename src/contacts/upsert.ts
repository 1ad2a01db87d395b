import { violatedConstraint } from '../platform/database/errors.ts';
import type { Own } from '../platform/database/own.ts';
import { AppError, invalidField } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import { LocksOutdated } from '../platform/ledger/locks.ts';
import type { PartText } from '../platform/ledger/part.ts';
import type { Look } from '../platform/ledger/transact.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { nowDate } from '../platform/time/clock.ts';
import { changeColumns, mergedFields } from './change.ts';
import { type ContactTx, contactTxOf } from './contact-tx.ts';
import { contactLock, emitCreated } from './events.ts';
import { type ContactFields, foldedEmail } from './fields.ts';
import {
  columnsOf,
  type Identity,
  insertIdentitiesSql,
  type OwnedIdentity,
  ownersOf,
  ownersPart,
} from './identities/identity.ts';
import { identitiesOf, identityTaken } from './identities/resolve.ts';
import { identitiesGiven } from './identities/write.ts';
import { suppressAgain } from './permission/suppressed-addresses.ts';
import type { ContactRow } from './queries.ts';

export function identitiesOfFields({ phone_number, email, external_source = '', external_id }: ContactFields): Identity[] {
  const spelled = phone_number ? identitiesOf({ phone: phone_number }) : [];
  return [
    ...spelled.map((identity) => ({ ...identity, source: '' })),
    ...(email ? [{ type: 'email' as const, source: '', value: foldedEmail(email) }] : []),
    ...(external_id ? [{ type: 'external_id' as const, source: external_source, value: external_id }] : []),
  ];
}

export type Upserted = { row: ContactRow; isNew: boolean };

/** Locks the contact that has the identities; a new one is one statement. Throws 409 for several contacts, 422 without any. */
export const upsertOptions = (own: Own, fields: ContactFields): Look<string | undefined> => ({
  look: () => ownerOf(own, identitiesOfFields(fields)),
  locks: (owner) => (owner ? [contactLock(owner)] : []),
  isOneTrip: (owner) => !owner,
  // A concurrent upsert of the same person: the database refuses the second identity.
  outdatedBy: (error) => violatedConstraint(error) === identityTaken,
});

async function ownerOf(own: Own, identities: Identity[]): Promise<string | undefined> {
  if (identities.length === 0)
    throw invalidField('phone_number', 'A contact needs a phone_number, an email or an external_id', 'object.missing');
  const [owner, ...others] = await ownersOf(own, identities);
  if (owner && others.length > 0) throw severalContacts([owner, ...others]);
  return owner;
}

/** Writes the given fields only. `owner`: the contact that the look found; none: creates it. */
export async function upsertContact(
  tx: OwnTx,
  secrets: Secrets,
  fields: ContactFields,
  owner: string | undefined,
): Promise<Upserted> {
  const identities = identitiesOfFields(fields);
  if (!owner) return create(tx, secrets, identities, fields);
  // The name is known when the columns are written.
  return change(contactTxOf(tx, { id: owner, name: '' }), secrets, identities, fields);
}

export const severalContacts = (ids: string[]) =>
  new AppError('conflict', 'The identities belong to different contacts', {
    details: ids.map((value) => ({ code: 'contact', message: 'One of the identities belongs to this contact', value })),
  });

/** SQL: a part of the ledger's own statement, which then is the whole transaction (bench: upsert). */
const insertContact: PartText = (
  id,
  organization,
  name,
  phone,
  email,
  source,
  externalId,
  customFields,
  at,
  types,
  sources,
  values,
) => `
  made as (
    insert into contacts (
      id, organization_id, name, phone_number, email, external_source, external_id, custom_fields, created_at, updated_at)
    values (${id}, ${organization}, ${name}, ${phone}, ${email}, ${source}, ${externalId}, ${customFields}, ${at}, ${at})),
  identified as (
    ${insertIdentitiesSql({ organization, contact: id, types, sources, values })})`;

function create(tx: OwnTx, secrets: Secrets, identities: Identity[], fields: ContactFields): Upserted {
  const id = uuidv7();
  const at = nowDate().toISOString();
  const { name = '', phone_number = '', email = '', external_source = '', external_id = '', custom_fields = {} } = fields;
  const texts = { name, phone_number, email, external_source: external_id ? external_source : '', external_id };
  const row = { id, ...texts, custom_fields: withoutNulls(custom_fields), tags: [], created_at: at, updated_at: at };
  tx.include({
    text: insertContact,
    params: [id, tx.organizationId, ...Object.values(texts), JSON.stringify(row.custom_fields), at, ...columnsOf(identities)],
  });
  tx.isNew('contact', id);
  suppressAgain(tx, secrets, id, identities);
  const given = Object.keys(fields).filter((field) => fields[field as keyof ContactFields]);
  emitCreated(tx, row, given);
  return { row, isNew: true };
}

const withoutNulls = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

async function change(tx: ContactTx, secrets: Secrets, identities: Identity[], fields: ContactFields): Promise<Upserted> {
  // The owner may have changed before the lock was taken.
  const owners = await ownersOf(tx, identities);
  if (owners.length !== 1 || owners[0] !== tx.contactId) throw new LocksOutdated();
  const given = await addIdentities(tx, identities);
  const { row } = await changeColumns(tx, mergedFields(fields));
  identitiesGiven(tx, secrets, given);
  return { row, isNew: false };
}

/** SQL: adds identities and reads their contacts in one statement (bench: upsert). */
const giveAndRead = `
  with i as (
    ${insertIdentitiesSql({ organization: '$1', contact: '$2', types: '$3', sources: '$4', values: '$5' })}
    on conflict on constraint contact_identities_value do nothing
    returning type, source, value, contact_id)
  select type, source, value, contact_id, true as is_new
    from i
  union all
  select i.type, i.source, i.value, i.contact_id, false
    from ${ownersPart({ types: '$3', sources: '$4', values: '$5' })}`;

/** Returns the new ones. Throws LocksOutdated when another contact has just got one. */
async function addIdentities(tx: ContactTx, identities: Identity[]): Promise<Identity[]> {
  const { contactId } = tx;
  const rows = await tx.sql<OwnedIdentity & { is_new: boolean }>(giveAndRead, [contactId, ...columnsOf(identities)]);
  if (rows.length < identities.length || rows.some(({ contact_id }) => contact_id !== contactId)) throw new LocksOutdated();
  return rows.filter(({ is_new }) => is_new).map(({ type, source, value }) => ({ type, source, value }));
}
