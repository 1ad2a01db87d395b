import type { PoolClient } from 'pg';
import type { Secrets } from '../../platform/secrets.ts';
import type { OwnedIdentity } from '../identities/identity.ts';
import { hashesOf, unlessLonger } from '../permission/suppressed-addresses.ts';

/** SQL: of a set, on the connection of its batch. `offset 0` makes each hash a look-up by the index. */
export const suppressSet = `
  with given as (
    select * from unnest($2::uuid[], $3::bytea[]) as x(contact_id, hash)),
  remembered as (
    select distinct on (g.contact_id, s.channel) g.contact_id, s.channel, s.reason, s.expires_at
      from given g,
           lateral (
             select *
               from suppressed_addresses a
              where a.organization_id = $1
                and a.hash = g.hash
                and (a.expires_at is null or a.expires_at > clock_timestamp())
             offset 0) s
     order by g.contact_id, s.channel, s.expires_at desc nulls first),
  resuppressed as (
    insert into contact_suppressions (id, organization_id, contact_id, channel, reason, expires_at)
    select uuidv7(), $1, contact_id, channel, reason, expires_at
      from remembered
    ${unlessLonger}
    returning contact_id, channel, reason, expires_at)
  insert into contact_permission_history
    (id, organization_id, contact_id, kind, channel, state, reason, source, expires_at, actor)
  select uuidv7(), $1, contact_id, 'suppression', channel, 'suppressed', reason, 'forgotten before', expires_at, 'system'
    from resuppressed`;

export const ownIdentity = 'contact_id, type, source, value';

/** Usually false: then no address has to be hashed. */
export async function remembersAnybody(client: PoolClient, organizationId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `select 1
       from suppressed_addresses
      where organization_id = $1
      limit 1`,
    [organizationId],
  );
  return (rowCount ?? 0) > 0;
}

/** `suppressAgain` for a set. */
export async function suppressImported(client: PoolClient, secrets: Secrets, organizationId: string, added: OwnedIdentity[]) {
  const hashes = added.flatMap((own) => hashesOf(secrets, organizationId, [own]).map((hash) => ({ id: own.contact_id, hash })));
  await client.query(suppressSet, [organizationId, hashes.map(({ id }) => id), hashes.map(({ hash }) => hash)]);
}
