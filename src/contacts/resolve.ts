import { type Em, query } from '../database.ts';
import { uuidv7 } from '../ids.ts';
import type { Tx } from '../ledger/transact.ts';
import type { Secrets } from '../secrets.ts';
import type { IdentityType } from './contact.entity.ts';
import { emitCreated } from './events.ts';
import { hashesOf, suppressAgain } from './suppressed-addresses.ts';

/** How a person is known to a messaging app: a phone (E.164 with +), the app's id of that phone (digits), the app's own user id. */
export type Person = { phone?: string; phoneId?: string; userId?: string; name?: string };

type Identity = { type: IdentityType; value: string };

/** A phone and the app's id of it are two spellings of one address until the provider says otherwise; either finds the person. */
export function identitiesOf({ phone, phoneId, userId }: Person): Identity[] {
  const spelled: Identity[] = [];
  if (phone) spelled.push({ type: 'phone', value: phone }, { type: 'messaging_app', value: phone.replace(/\D/g, '') });
  if (phoneId) spelled.push({ type: 'messaging_app', value: phoneId }, { type: 'phone', value: `+${phoneId}` });
  if (userId) spelled.push({ type: 'messaging_app_id', value: userId });
  return spelled.filter(
    (identity, index) => spelled.findIndex((other) => other.type === identity.type && other.value === identity.value) === index,
  );
}

/** The constraint that says somebody was faster: look again. */
export const identityTaken = 'contact_identities_value';

/** As many addresses as a person can have: the rows of a list in a statement whose plan must not depend on how many there are. */
const mostIdentities = 5;

/**
 * A select of the contact that addresses belong to, the oldest when they are of several. Its ten parameters begin at `$first`
 * (`ownerParams`); `$organization` is the organization's. Fixed in number, and looked up one by one: with arrays the planner would plan
 * each time, for lack of knowing their length.
 */
export const oldestOwner = (organization: number, first: number) => `
  select o.contact_id from (values ${Array.from({ length: mostIdentities }, (_, index) => `($${first + index * 2}::text, $${first + index * 2 + 1}::text)`).join(', ')}) as x(type, value),
    lateral (select i.contact_id from contact_identities i where i.organization_id = $${organization} and i.type = x.type and i.source = '' and i.value = x.value limit 1) o
   order by o.contact_id limit 1`;

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

/** Finds or makes the contact and adds what is newly known of it. Run with `retryOn: [identityTaken]`. */
export async function resolveContact(tx: Tx, secrets: Secrets, organizationId: string, person: Person): Promise<string> {
  const found = await findContact(tx.em, organizationId, person);
  const contactId = found ?? uuidv7();
  if (!found) {
    tx.isNew('contact', contactId);
    await tx.query('insert into contacts (id, organization_id, name, phone_number) values ($1, $2, $3, $4)', [
      contactId,
      organizationId,
      person.name ?? '',
      phoneOf(person),
    ]);
  }
  await addIdentities(tx, secrets, organizationId, contactId, person, found === undefined);
  if (!found) {
    const changed = [...(person.name ? ['name'] : []), ...(phoneOf(person) ? ['phone_number'] : [])];
    emitCreated(tx, organizationId, { id: contactId, name: person.name ?? '' }, changed);
  }
  return contactId;
}

const phoneOf = ({ phone, phoneId }: Person) => phone ?? (phoneId ? `+${phoneId}` : '');

/**
 * What a provider's answer calls a person becomes an identity of that contact, unless it is another's already. Who was forgotten and had
 * said no is suppressed again.
 */
export async function addIdentities(
  tx: Tx,
  secrets: Secrets,
  organizationId: string,
  contactId: string,
  person: Person,
  mustBeFree = false,
) {
  const identities = identitiesOf(person);
  if (identities.length === 0) return;
  const added = await tx.query<Identity>(
    `insert into contact_identities (id, organization_id, contact_id, type, value) select uuidv7(), $1, $2, x.type, x.value from unnest($3::text[], $4::text[]) as x(type, value)
     ${mustBeFree ? '' : `on conflict on constraint ${identityTaken} do nothing`} returning type, value`,
    [organizationId, contactId, identities.map(({ type }) => type), identities.map(({ value }) => value)],
  );
  if (added.length > 0) suppressAgain(tx, secrets, organizationId, contactId, added.map(withoutSource));
}

const withoutSource = (identity: Identity) => ({ ...identity, source: '' });

/** What the address of one who is written to would be remembered under. None: he is called by his contact. */
export const hashOf = (secrets: Secrets, organizationId: string, person: Person): Buffer | null =>
  hashesOf(secrets, organizationId, identitiesOf(person).map(withoutSource))[0] ?? null;
