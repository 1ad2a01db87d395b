import { now } from '../platform/database/columns.ts';
import type { Own } from '../platform/database/own.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import { Contact } from './contact.entity.ts';
import { contactTxOf } from './contact-tx.ts';
import { contactLock } from './events.ts';
import { columnsOf, withSpellings } from './identities/identity.ts';
import { type Person, sourced } from './identities/resolve.ts';

/** From a provider's last webhook about the person. `profile_phone` is digits. */
export type Profile = {
  profile_name: string;
  profile_username: string;
  profile_phone: string;
  profile_user_id: string;
  last_inbound_at: string;
};

/** SQL: a set of addresses, and a table of messaging's, whose entity contacts do not import. */
const profileSql = `
  select v.profile_name, v.profile_username, v.profile_phone, v.profile_user_id, v.last_inbound_at
    from unnest($3::text[], $4::text[]) as x(type, value)
    join contact_identities i
      on i.organization_id = $1 and i.type = x.type and i.source = '' and i.value = x.value
    join conversations v
      on v.channel_id = $2 and v.contact_id = i.contact_id and v.organization_id = i.organization_id
   where v.last_inbound_at is not null
   order by v.last_inbound_at desc
   limit 1`;

export async function findProfile(own: Own, channelId: string, person: Person): Promise<Profile | undefined> {
  const [types, , values] = columnsOf(withSpellings(sourced(person)));
  const [row] = await own.sql<Profile>(profileSql, [channelId, types, values]);
  return row;
}

/** Only fills an empty name. */
export async function nameByProfile(transact: TenantTransact, contactId: string, given: string) {
  const name = given.trim();
  if (!name) return;
  await transact({ locks: [contactLock(contactId)] }, async ({ own }) => {
    const named = await own.update(Contact, { id: contactId, name: '' }, { name, updated_at: now() });
    if (named > 0) contactTxOf(own, { id: contactId, name }).changed('name');
  });
}
