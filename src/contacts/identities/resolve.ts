import type { Em } from '../../platform/database/database.ts';
import { query } from '../../platform/database/query.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import type { Tx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { changedFields, refreshAddresses, updateContact } from '../change.ts';
import { emitCreated, emitUpdated } from '../events.ts';
import { listDuplicate } from '../merging/duplicates.ts';
import { hashesOf, suppressAgain } from '../permission/suppressed-addresses.ts';
import { columnsOf, type Identity, insertIdentitiesSql } from '../queries.ts';

/** How a person is known to a messaging app: a phone (E.164 with +), the app's id of that phone (digits), the app's own user id. */
export type Person = { phone?: string; phoneId?: string; userId?: string; name?: string };

/** A phone and the app's id of it are two spellings of one address until the provider says otherwise; either finds the person. */
export function identitiesOf({ phone, phoneId, userId }: Person): Pick<Identity, 'type' | 'value'>[] {
  const spelled: Pick<Identity, 'type' | 'value'>[] = [];
  if (phone) spelled.push({ type: 'phone', value: phone }, { type: 'messaging_app', value: phone.replace(/\D/g, '') });
  if (phoneId) spelled.push({ type: 'messaging_app', value: phoneId }, { type: 'phone', value: `+${phoneId}` });
  if (userId) spelled.push({ type: 'messaging_app_id', value: userId });
  return spelled.filter(
    (identity, index) => spelled.findIndex((other) => other.type === identity.type && other.value === identity.value) === index,
  );
}

/** As the table holds them. */
export const sourced = (person: Person): Identity[] => identitiesOf(person).map((identity) => ({ ...identity, source: '' }));

/** The constraint that says somebody was faster: look again. */
export const identityTaken = 'contact_identities_value';

/** As many addresses as a person can have: the rows of a list in a statement whose plan must not depend on how many there are. */
const mostIdentities = 5;

/**
 * A select of the contact of each address that is anybody's. Its ten parameters begin at `$first` (`ownerParams`); `$organization` is
 * the organization's. Fixed in number, and looked up one by one: with arrays the planner would plan each time, for lack of knowing
 * their length.
 */
const ownerOfEach = (organization: number, first: number) => `
  select x.type, x.value, o.contact_id from (values ${Array.from({ length: mostIdentities }, (_, index) => `($${first + index * 2}::text, $${first + index * 2 + 1}::text)`).join(', ')}) as x(type, value),
    lateral (select i.contact_id from contact_identities i where i.organization_id = $${organization} and i.type = x.type and i.source = '' and i.value = x.value limit 1) o`;

/** A select of the contact that addresses belong to, the oldest when they are of several. Parameters as `ownerOfEach`. */
export const oldestOwner = (organization: number, first: number) =>
  `select e.contact_id from (${ownerOfEach(organization, first)}) e order by e.contact_id limit 1`;

export function ownerParams(person: Person): (string | null)[] {
  const identities = identitiesOf(person);
  return Array.from({ length: mostIdentities }, (_, index) => identities[index]).flatMap((identity) => [
    identity?.type ?? null,
    identity?.value ?? null,
  ]);
}

/** The contact an address belongs to. */
export async function findContact(em: Em, organizationId: string, person: Person): Promise<string | undefined> {
  const [row] = await query<{ contact_id: string }>(em, oldestOwner(1, 2), [organizationId, ...ownerParams(person)]);
  return row?.contact_id;
}

type Owned = Pick<Identity, 'type' | 'value'> & { contact_id: string };
const ownedOf = (em: Em, organizationId: string, person: Person) =>
  query<Owned>(em, ownerOfEach(1, 2), [organizationId, ...ownerParams(person)]);

/**
 * Finds or makes the contact and adds what is newly known of it. Addresses of several contacts: the oldest, and the others are listed as
 * its duplicates. Run with `retryOn: [identityTaken]`, and with no lock.
 */
export async function resolveContact(tx: Tx, secrets: Secrets, organizationId: string, person: Person): Promise<string> {
  const owned = await ownedOf(tx.em, organizationId, person);
  const [found, ...others] = [...new Set(owned.map(({ contact_id }) => contact_id))].sort();
  if (!found) return makeContact(tx, secrets, organizationId, person);
  // First what may take the contact's lock: a pair locks rows, for which a merge that has the lock would wait.
  await add(tx, secrets, organizationId, found, person, owned);
  for (const other of others) await listDuplicate(tx, organizationId, found, other, 'same_person');
  return found;
}

const phoneOf = ({ phone, phoneId }: Person) => phone ?? (phoneId ? `+${phoneId}` : '');

async function makeContact(tx: Tx, secrets: Secrets, organizationId: string, person: Person): Promise<string> {
  const id = uuidv7();
  const { name = '' } = person;
  const identities = sourced(person);
  tx.isNew('contact', id);
  await tx.query('insert into contacts (id, organization_id, name, phone_number) values ($1, $2, $3, $4)', [
    id,
    organizationId,
    name,
    phoneOf(person),
  ]);
  await tx.query(insert(''), [organizationId, id, ...columnsOf(identities)]);
  // The app's spelling of the phone may be another number than the one in its column.
  if (identities.filter(({ type }) => type === 'phone').length > 1) await refreshAddresses(tx, organizationId, id);
  suppressAgain(tx, secrets, organizationId, id, identities);
  emitCreated(tx, organizationId, { id, name }, [...(name ? ['name'] : []), ...(phoneOf(person) ? ['phone_number'] : [])]);
  return id;
}

const insert = (onConflict: string) => `${insertIdentitiesSql(3)} ${onConflict} returning type, source, value`;

/**
 * What a provider's answer calls a person becomes an identity of that contact, unless it is another's already. Takes the contact's lock
 * when there is something to add: run with no lock, or with its conversation's. Throws LocksOutdated when the contact has gone.
 */
export async function addIdentities(tx: Tx, secrets: Secrets, organizationId: string, contactId: string, person: Person) {
  await add(tx, secrets, organizationId, contactId, person, await ownedOf(tx.em, organizationId, person));
}

async function add(tx: Tx, secrets: Secrets, organizationId: string, contactId: string, person: Person, owned: Owned[]) {
  const unknown = sourced(person).filter(
    ({ type, value }) => !owned.some((identity) => identity.type === type && identity.value === value),
  );
  if (unknown.length === 0) return;
  await tx.lockFound('contact', contactId);
  const [contact] = await tx.query<{ name: string; phone_number: string }>(
    'select name, phone_number from contacts where organization_id = $1 and id = $2',
    [organizationId, contactId],
  );
  if (!contact) throw new LocksOutdated();
  const added = await tx.query<Identity>(insert(`on conflict on constraint ${identityTaken} do nothing`), [
    organizationId,
    contactId,
    ...columnsOf(unknown),
  ]);
  if (added.length === 0) return;
  const phone = contact.phone_number ? undefined : added.find(({ type }) => type === 'phone')?.value;
  const changed = await updateContact(tx, organizationId, contactId, { phone_number: phone });
  await refreshAddresses(tx, organizationId, contactId);
  suppressAgain(tx, secrets, organizationId, contactId, added);
  emitUpdated(tx, organizationId, { id: contactId, name: contact.name }, changedFields(changed!, added));
}

/** What the address of one who is written to would be remembered under. None: he is called by his contact. */
export const hashOf = (secrets: Secrets, organizationId: string, person: Person): Buffer | null =>
  hashesOf(secrets, organizationId, sourced(person))[0] ?? null;
