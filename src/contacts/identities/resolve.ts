import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { bindTo } from '../../platform/listing/bind.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { changeColumns } from '../change.ts';
import { Contact, type ContactIdentity } from '../contact.entity.ts';
import { contactTxOf } from '../contact-tx.ts';
import { emitCreated } from '../events.ts';
import { listDuplicate } from '../merging/duplicates.ts';
import { hashesOf, suppressAgain } from '../permission/suppressed-addresses.ts';
import { columnsOf, type Identity, insertIdentitiesSql, respelled } from './identity.ts';
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

/** The most addresses a person can have, and other forms of their phones. Fixed numbers keep the plan independent of their count. */
const maxIdentities = 5;
const maxSpellings = 2;
const slots = maxIdentities + maxSpellings;
/** Parameters of `ownerParams`: a type and a value for each slot. */
export const ownerParamCount = 2 * slots;

/** `from`: the number of the first of `ownerParams`. */
type OwnerParams = { organization: string; from: number };

/** The places of `count` parameters, the first of them numbered `from`. */
export const placesFrom = (from: number, count: number): string[] =>
  Array.from({ length: count }, bindTo(new Array<unknown>(from - 1)));

function slotsFrom(from: number): string[] {
  const places = placesFrom(from, ownerParamCount);
  return Array.from(
    { length: slots },
    (_, slot) => `(${places[2 * slot]}::text, ${places[2 * slot + 1]}::text, ${slot >= maxIdentities})`,
  );
}

/** SQL: looked up one by one (bench: inbound, POST). Arrays of unknown length would be planned each time. */
const ownerOfEach = ({ organization, from }: OwnerParams) => `
  select x.type, x.value, x.is_respelled, o.contact_id
    from (values ${slotsFrom(from).join(', ')}) as x(type, value, is_respelled),
         lateral (
           select i.contact_id
             from contact_identities i
            where i.organization_id = ${organization}
              and i.type = x.type
              and i.source = ''
              and i.value = x.value
            limit 1) o`;

/** SQL: the oldest contact of several; a phone in its other form counts without any. Parameters as `ownerOfEach`. */
export const oldestOwner = (params: OwnerParams) => `
  select e.contact_id
    from (${ownerOfEach(params)}) e
   order by e.is_respelled, e.contact_id
   limit 1`;

export function ownerParams(person: Person): (string | null)[] {
  const identities = identitiesOf(person);
  const others = identities.flatMap((identity) => respelled(identity) ?? []).filter((other) => !isAmong(identities, other));
  const filled = (of: typeof identities, length: number) => Array.from({ length }, (_, index) => of[index]);
  return [...filled(identities, maxIdentities), ...filled(others, maxSpellings)].flatMap((identity) => [
    identity?.type ?? null,
    identity?.value ?? null,
  ]);
}

type Address = Pick<Identity, 'type' | 'value'>;
const isAmong = (identities: Address[], { type, value }: Address) =>
  identities.some((one) => one.type === type && one.value === value);

const ownerSql = oldestOwner({ organization: '$1', from: 2 });
const ownersSql = ownerOfEach({ organization: '$1', from: 2 });

export async function findContact(own: Own, person: Person): Promise<string | undefined> {
  const [row] = await own.sql<Pick<Owned, 'contact_id'>>(ownerSql, ownerParams(person));
  return row?.contact_id;
}

type Owned = RowOf<typeof ContactIdentity, 'type' | 'value' | 'contact_id'> & { is_respelled: boolean };
const ownedOf = (own: Own, person: Person) => own.sql<Owned>(ownersSql, ownerParams(person));

/** The oldest match wins, a phone as it is written before its other form; others are listed as duplicates. Run with `retryOn: [identityTaken]` and no lock. */
export async function resolveContact(tx: OwnTx, secrets: Secrets, person: Person): Promise<string> {
  const owned = await ownedOf(tx, person);
  const [found, ...others] = ownersIn(owned);
  if (!found) return makeContact(tx, secrets, person);
  // First, because it may take the contact's lock: a merge that has the lock would wait for the rows of a pair.
  await add(tx, secrets, found, person, owned);
  for (const other of others) await listDuplicate(tx, found, other, reasonOf(owned, other));
  return found;
}

/** Oldest first, of those whose address is as written before the others. */
function ownersIn(owned: Owned[]): string[] {
  const of = (isRespelled: boolean) =>
    owned.flatMap(({ contact_id, is_respelled }) => (is_respelled === isRespelled ? [contact_id] : [])).sort();
  return [...new Set([...of(false), ...of(true)])];
}

const reasonOf = (owned: Owned[], other: string) =>
  owned.some(({ contact_id, is_respelled }) => is_respelled && contact_id === other) ? 'same_phone' : 'same_person';

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

/** Another contact that has an address is listed as a duplicate. May take the contact's lock: run with no lock, or with its conversation's. */
export async function addIdentities(tx: OwnTx, secrets: Secrets, contactId: string, person: Person) {
  const owned = await ownedOf(tx, person);
  await add(tx, secrets, contactId, person, owned);
  const others = ownersIn(owned).filter((other) => other !== contactId);
  for (const other of others) {
    const isUser = owned.every((one) => one.contact_id !== other || one.type === 'messaging_app_id');
    await listDuplicate(tx, contactId, other, isUser ? 'same_person' : 'same_phone');
  }
}

const nameAndPhone = statement((select, { id }: { id: string }) =>
  select(Contact).select(['name', 'phone_number']).where('id', '=', id),
);

async function add(own: OwnTx, secrets: Secrets, contactId: string, person: Person, owned: Owned[]) {
  const unknown = sourced(person).filter((identity) => !isAmong(owned, identity));
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

/** None: the recipient is identified by their contact. */
export const addressHashes = (secrets: Secrets, organizationId: string, person: Person): Buffer[] =>
  hashesOf(secrets, organizationId, sourced(person));
