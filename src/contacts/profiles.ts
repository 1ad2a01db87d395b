import type { Source } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import { contactLock, emitUpdated } from './events.ts';
import { identitiesOf, type Person } from './identities/resolve.ts';

/** How a provider's webhooks named a person last, and when he last wrote. `profile_phone` is digits. */
export type Profile = {
  profile_name: string;
  profile_username: string;
  profile_phone: string;
  profile_user_id: string;
  last_inbound_at: string;
};

/** Undefined: the person never wrote to this channel. */
export async function findProfile(
  source: Source,
  organizationId: string,
  channelId: string,
  person: Person,
): Promise<Profile | undefined> {
  const identities = identitiesOf(person);
  const [row] = await query<Profile>(
    source,
    `select v.profile_name, v.profile_username, v.profile_phone, v.profile_user_id, v.last_inbound_at
       from unnest($3::text[], $4::text[]) as x(type, value)
       join contact_identities i on i.organization_id = $1 and i.type = x.type and i.source = '' and i.value = x.value
       join conversations v on v.channel_id = $2 and v.contact_id = i.contact_id and v.organization_id = i.organization_id
      where v.last_inbound_at is not null order by v.last_inbound_at desc limit 1`,
    [organizationId, channelId, identities.map(({ type }) => type), identities.map(({ value }) => value)],
  );
  return row;
}

/** Who has no name yet is called as he calls himself. */
export async function nameByProfile(transact: Transact, organizationId: string, contactId: string, given: string) {
  const name = given.trim();
  if (!name) return;
  await transact({ locks: [contactLock(contactId)] }, async (tx) => {
    const named = await tx.query(
      `update contacts set name = $3, updated_at = clock_timestamp() where organization_id = $1 and id = $2 and name = '' returning id`,
      [organizationId, contactId, name],
    );
    if (named.length > 0) emitUpdated(tx, organizationId, { id: contactId, name }, ['name']);
  });
}
