import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { changeColumns } from '../change.ts';
import { Contact, type ContactIdentity } from '../contact.entity.ts';
import { contactTxOf } from '../contact-tx.ts';
import { emitCreated } from '../events.ts';
import { listDuplicate } from '../merging/duplicates.ts';
import { hashesOf, suppressAgain } from '../permission/suppressed-addresses.ts';
import { columnsOf, type Identity, insertIdentitiesSql } from './identity.ts';
import { refreshAddresses } from './search-column.ts';
import { giveIdentities } from './write.ts';

/** `phone` is E.164 with +, `phoneId` the app's id of that phone (digits), `userId` the app's own user id. */
export type Person = { phone?: string; phoneId?: string; userId?: string; name?: string };

/** A phone and the app's id of it are one address until the provider says otherwise; either finds the person. */
export function identitiesOf({ phone, phoneId, userId }: Person): Pick<Identity, 'type' | 'value'>[] {
  const spelled: Pick<Identity, 'type' | 'value'>[] = [];
  if (phone) spelled.push({ type: 'phone', value: phone }, { type: 'messaging_app', value: phone.replace(/\D/g, '') });
  if (phoneId) spelled.push({ type: 'messaging_app', value: phoneId }, { type: 'phone', value: `+${phoneId}` });
  if (userId) spelled.push({ type: 'messaging_app_id', value: userId });
  return spelled.filter(
    (identity, index) => spelled.findIndex((other) => other.type === identity.type && other.value === identity.value) === index,
  );
}

export const sourced = (person: Person): Identity[] => identitiesOf(person).map((identity) => ({ ...identity, source: '' }));

/** Another transaction wrote the identity first: read again. */
export const identityTaken = 'contact_identities_value';

/** The most addresses a person can have. A fixed number keeps the plan independent of their count. */
const maxIdentities = 5;

/** `addresses`: the ten parameters of `ownerParams` in pairs, `($2::text, $3::text), …`. */
type OwnerParams = { organization: string; addresses: string };

/** SQL: looked up one by one (bench: inbound, POST). Arrays of unknown length would be planned each time. */
const ownerOfEach = ({ organization, addresses }: OwnerParams) => `
  select x.type, x.value, o.contact_id
    from (values ${addresses}) as x(type, value),
         lateral (
           select i.contact_id
             from contact_identities i
            where i.organization_id = ${organization}
              and i.type = x.type
              and i.source = ''
              and i.value = x.value
            limit 1) o`;

/** SQL: the oldest contact of several. Parameters as `ownerOfEach`. */
export const oldestOwner = (params: OwnerParams) => `
  select e.contact_id
    from (${ownerOfEach(params)}) e
   order by e.contact_id
   limit 1`;

export function ownerParams(person: Person): (string | null)[] {
  const identities = identitiesOf(person);
  return Array.from({ length: maxIdentities }, (_, index) => identities[index]).flatMap((identity) => [
    identity?.type ?? null,
    identity?.value ?? null,
  ]);
}

const addressesFrom2 = `
  ($2::text, $3::text), ($4::text, $5::text), ($6::text, $7::text), ($8::text, $9::text), ($10::text, $11::text)`;
const ownerSql = oldestOwner({ organization: '$1', addresses: addressesFrom2 });
const ownersSql = ownerOfEach({ organization: '$1', addresses: addressesFrom2 });

export async function findContact(own: Own, person: Person): Promise<string | undefined> {
  const [row] = await own.sql<Pick<Owned, 'contact_id'>>(ownerSql, ownerParams(person));
  return row?.contact_id;
}

type Owned = RowOf<typeof ContactIdentity, 'type' | 'value' | 'contact_id'>;
const ownedOf = (own: Own, person: Person) => own.sql<Owned>(ownersSql, ownerParams(person));

/** The oldest match wins; others are listed as its duplicates. Run with `retryOn: [identityTaken]` and no lock. */
export async function resolveContact(tx: OwnTx, secrets: Secrets, person: Person): Promise<string> {
  const owned = await ownedOf(tx, person);
  const [found, ...others] = [...new Set(owned.map(({ contact_id }) => contact_id))].sort();
  if (!found) return makeContact(tx, secrets, person);
  // First, because it may take the contact's lock: a merge that has the lock would wait for the rows of a pair.
  await add(tx, secrets, found, person, owned);
  for (const other of others) await listDuplicate(tx, found, other, 'same_person');
  return found;
}

const phoneOf = ({ phone, phoneId }: Person) => phone ?? (phoneId ? `+${phoneId}` : '');

/** SQL: prepared once per connection (bench: inbound, POST). */
const insertContact = `
  insert into contacts (organization_id, id, name, phone_number)
  values ($1, $2, $3, $4)`;
const insertIdentities = insertIdentitiesSql({
  organization: '$1',
  contact: '$2',
  types: '$3',
  sources: '$4',
  values: '$5',
});

/** No lock and no ContactTx: no other transaction sees the contact yet. */
async function makeContact(tx: OwnTx, secrets: Secrets, person: Person): Promise<string> {
  const id = uuidv7();
  const { name = '' } = person;
  const identities = sourced(person);
  tx.isNew('contact', id);
  await tx.sql(insertContact, [id, name, phoneOf(person)]);
  await tx.sql(insertIdentities, [id, ...columnsOf(identities)]);
  // The app's phone may differ from the one in the column.
  if (identities.filter(({ type }) => type === 'phone').length > 1) await refreshAddresses(tx, id);
  suppressAgain(tx, secrets, id, identities);
  emitCreated(tx, { id, name }, [...(name ? ['name'] : []), ...(phoneOf(person) ? ['phone_number'] : [])]);
  return id;
}

/** Skips addresses of other contacts. May take the contact's lock: run with no lock, or with its conversation's. */
export async function addIdentities(tx: OwnTx, secrets: Secrets, contactId: string, person: Person) {
  await add(tx, secrets, contactId, person, await ownedOf(tx, person));
}

const nameAndPhone = statement((select, { id }: { id: string }) =>
  select(Contact).select(['name', 'phone_number']).where('id', '=', id),
);

async function add(own: OwnTx, secrets: Secrets, contactId: string, person: Person, owned: Owned[]) {
  const unknown = sourced(person).filter(
    ({ type, value }) => !owned.some((identity) => identity.type === type && identity.value === value),
  );
  if (unknown.length === 0) return;
  await own.lockFound('contact', contactId);
  const [contact] = await nameAndPhone(own, { id: contactId });
  if (!contact) throw new LocksOutdated();
  const tx = contactTxOf(own, { id: contactId, name: contact.name });
  const added = await giveIdentities(tx, secrets, unknown);
  if (added.length === 0) return;
  const phone = contact.phone_number ? undefined : added.find(({ type }) => type === 'phone')?.value;
  await changeColumns(tx, { phone_number: phone });
}

/** Null: the recipient is identified by their contact. */
export const hashOf = (secrets: Secrets, organizationId: string, person: Person): Buffer | null =>
  hashesOf(secrets, organizationId, sourced(person))[0] ?? null;
