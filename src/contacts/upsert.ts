import type { Em } from '../platform/database/database.ts';
import { violatedConstraint } from '../platform/database/errors.ts';
import { query } from '../platform/database/query.ts';
import { AppError, invalidField } from '../platform/errors.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { TransactOptions } from '../platform/ledger/transact.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { nowDate } from '../platform/time/clock.ts';
import { changedFields, mergedFields, refreshAddresses, updateContact } from './change.ts';
import { contactLock, emitCreated, emitUpdated } from './events.ts';
import { type ContactFields, foldedEmail } from './fields.ts';
import { identitiesOf, identityTaken } from './identities/resolve.ts';
import { suppressAgain } from './permission/suppressed-addresses.ts';
import { type ContactRow, columnsOf, type Identity, insertIdentitiesSql, ownersOf, ownersPart } from './queries.ts';

/** By what the contact is known; `phone_number` is E.164. */
export function identitiesOfFields({ phone_number, email, external_source = '', external_id }: ContactFields): Identity[] {
  const spelled = phone_number ? identitiesOf({ phone: phone_number }) : [];
  return [
    ...spelled.map((identity) => ({ ...identity, source: '' })),
    ...(email ? [{ type: 'email' as const, source: '', value: foldedEmail(email) }] : []),
    ...(external_id ? [{ type: 'external_id' as const, source: external_source, value: external_id }] : []),
  ];
}

export type Upserted = { row: ContactRow; isNew: boolean };

/** Somebody was faster with one of the identities: look again. */
class Taken extends Error {}
/** Each look has lost against another writer of the same person; more than these, and something else is wrong. */
const mostLooks = 20;

/**
 * Creates the contact that the identities in `fields` belong to, or updates it: given fields only. Two of the same person at once end
 * as one contact, for the database refuses the second identity. `write` runs the transaction. Throws 409 with both ids when the
 * identities are of several contacts, 422 without any.
 */
export async function upsertContact<Result>(
  em: Em,
  secrets: Secrets,
  organizationId: string,
  fields: ContactFields,
  write: (options: TransactOptions, work: (tx: Tx) => Promise<Result>) => Promise<Result>,
  answer: (upserted: Upserted) => Result,
): Promise<Result> {
  const identities = identitiesOfFields(fields);
  if (identities.length === 0)
    throw invalidField('phone_number', 'A contact needs a phone_number, an email or an external_id', 'object.missing');
  for (let look = 1; ; look += 1) {
    const [owner, ...others] = await ownersOf(em, organizationId, identities);
    if (owner && others.length > 0) throw severalContacts([owner, ...others]);
    try {
      return await (owner
        ? write({ locks: [contactLock(owner)] }, async (tx) =>
            answer(await change(tx, secrets, organizationId, owner, identities, fields)),
          )
        : write({ isOneStatement: true }, async (tx) => answer(create(tx, secrets, organizationId, identities, fields))));
    } catch (error) {
      const isTaken = error instanceof Taken || violatedConstraint(error) === identityTaken;
      if (!isTaken || look === mostLooks) throw error;
    }
  }
}

export const severalContacts = (ids: string[]) =>
  new AppError('conflict', 'The identities belong to different contacts', {
    details: ids.map((value) => ({ code: 'contact', message: 'One of the identities belongs to this contact', value })),
  });

const insertContact = `
  made as (
    insert into contacts (id, organization_id, name, phone_number, email, external_source, external_id, custom_fields, created_at, updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)),
  identified as (${insertIdentitiesSql(10, { organization: '$2', contact: '$1' })})`;

/** In the ledger's own statement: with nothing to lock and nothing to read it is the whole transaction. */
function create(tx: Tx, secrets: Secrets, organizationId: string, identities: Identity[], fields: ContactFields): Upserted {
  const id = uuidv7();
  const at = nowDate().toISOString();
  const { name = '', phone_number = '', email = '', external_source = '', external_id = '', custom_fields = {} } = fields;
  const texts = { name, phone_number, email, external_source: external_id ? external_source : '', external_id };
  const row = { id, ...texts, custom_fields: withoutNulls(custom_fields), tags: [], created_at: at, updated_at: at };
  tx.include({
    text: insertContact,
    params: [id, organizationId, ...Object.values(texts), JSON.stringify(row.custom_fields), at, ...columnsOf(identities)],
  });
  tx.isNew('contact', id);
  suppressAgain(tx, secrets, organizationId, id, identities);
  const given = Object.keys(fields).filter((field) => fields[field as keyof ContactFields]);
  emitCreated(tx, organizationId, row, given);
  return { row, isNew: true };
}

const withoutNulls = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

async function change(
  tx: Tx,
  secrets: Secrets,
  organizationId: string,
  id: string,
  identities: Identity[],
  fields: ContactFields,
): Promise<Upserted> {
  // What was seen before the lock may have changed until it was had.
  const owners = await ownersOf(tx.em, organizationId, identities);
  if (owners.length !== 1 || owners[0] !== id) throw new Taken();
  const added = await addIdentities(tx, organizationId, id, identities);
  const changed = await updateContact(tx, organizationId, id, mergedFields(fields));
  if (!changed) throw new Taken();
  if (added.length > 0) suppressAgain(tx, secrets, organizationId, id, added);
  const { row, before } = changed;
  // The address it had in its column is one of its others now.
  if ((before.phone_number && before.phone_number !== row.phone_number) || (before.email && before.email !== row.email))
    await refreshAddresses(tx, organizationId, id);
  const names = changedFields(changed, added);
  if (names.length > 0) emitUpdated(tx, organizationId, row, names);
  return { row, isNew: false };
}

/** Those that were not the contact's before. Throws Taken when somebody else has just got one. */
async function addIdentities(tx: Tx, organizationId: string, id: string, identities: Identity[]): Promise<Identity[]> {
  const rows = await query<Identity & { contact_id: string; is_new: boolean }>(
    tx.em,
    `with i as (
       ${insertIdentitiesSql(3)}
       on conflict on constraint contact_identities_value do nothing returning type, source, value, contact_id)
     select type, source, value, contact_id, true as is_new from i
     union all
     select i.type, i.source, i.value, i.contact_id, false from ${ownersPart(3)}`,
    [organizationId, id, ...columnsOf(identities)],
  );
  if (rows.length < identities.length || rows.some(({ contact_id }) => contact_id !== id)) throw new Taken();
  return rows.filter(({ is_new }) => is_new).map(({ type, source, value }) => ({ type, source, value }));
}
