import type { Tx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Identity } from '../queries.ts';

/**
 * What an address is known by after its person was forgotten. A phone and the messaging app's id of it are one address; an id in another
 * system is none: nobody can be written to at it.
 */
export function addressesOf(identities: Identity[]): string[] {
  const texts = identities.flatMap(({ type, value }) => {
    if (type === 'phone' || type === 'messaging_app') return [`phone:${value.replace(/\D/g, '')}`];
    if (type === 'external_id') return [];
    return [`${type}:${value}`];
  });
  return [...new Set(texts)];
}

export const hashesOf = (secrets: Secrets, organizationId: string, identities: Identity[]) =>
  addressesOf(identities).map((text) => secrets.hash(`${organizationId}\n${text}`));

/** What ends a statement that suppresses anew: of two suppressions of a channel the one that lasts longer counts, and one that is over none. */
export const unlessLonger = `on conflict on constraint contact_suppressions_channel do update set reason = excluded.reason, expires_at = excluded.expires_at,
    updated_at = clock_timestamp()
   where coalesce(excluded.expires_at, 'infinity') > coalesce(contact_suppressions.expires_at, 'infinity')`;

/** Who was forgotten and comes back stays suppressed: with the transaction that gives a contact these identities. */
export function suppressAgain(tx: Tx, secrets: Secrets, organizationId: string, contactId: string, identities: Identity[]) {
  const hashes = hashesOf(secrets, organizationId, identities);
  if (hashes.length === 0) return;
  tx.include({
    text: `remembered as (
      select distinct on (s.channel) s.channel, s.reason, s.expires_at from suppressed_addresses s
       where s.organization_id = $1 and s.hash = any($3::bytea[]) and (s.expires_at is null or s.expires_at > clock_timestamp())
       order by s.channel, s.expires_at desc nulls first),
    resuppressed as (
      insert into contact_suppressions (id, organization_id, contact_id, channel, reason, expires_at)
      select uuidv7(), $1, $2, r.channel, r.reason, r.expires_at from remembered r
      ${unlessLonger} returning channel, reason, expires_at),
    resuppressions as (
      insert into contact_permission_history (id, organization_id, contact_id, kind, channel, state, reason, source, expires_at, actor)
      select uuidv7(), $1, $2, 'suppression', channel, 'suppressed', reason, 'forgotten before', expires_at, 'system' from resuppressed)`,
    params: [organizationId, contactId, hashes],
  });
}

/** Who is suppressed or blocked now must not be written to once he is forgotten: for his addresses, as hashes. The longest counts. */
export async function rememberSuppressed(
  tx: Tx,
  secrets: Secrets,
  organizationId: string,
  contactId: string,
  identities: Identity[],
): Promise<void> {
  await tx.query(
    `with live as (
       select channel, reason, expires_at from contact_suppressions
        where organization_id = $1 and contact_id = $2 and (expires_at is null or expires_at > clock_timestamp())
       union all
       select 'messaging_app', 'blocked', null from contact_blocks
        where organization_id = $1 and contact_id = $2 and (status = 'pending' or blocked_at is not null)),
     longest as (select distinct on (channel) channel, reason, expires_at from live order by channel, expires_at desc nulls first)
     insert into suppressed_addresses (organization_id, hash, channel, reason, expires_at)
     select $1, h.hash, l.channel, l.reason, l.expires_at from longest l, unnest($3::bytea[]) as h(hash)
     on conflict on constraint suppressed_addresses_pkey do update set reason = excluded.reason, expires_at = excluded.expires_at
      where coalesce(excluded.expires_at, 'infinity') >= coalesce(suppressed_addresses.expires_at, 'infinity')`,
    [organizationId, contactId, hashesOf(secrets, organizationId, identities)],
  );
}
