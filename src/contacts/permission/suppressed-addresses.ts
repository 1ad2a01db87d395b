import { inForceSql } from '../../platform/database/in-force.ts';
import type { PartText } from '../../platform/ledger/part.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Identity } from '../identities/identity.ts';
import { otherSpelling } from '../identities/phone-spellings.ts';

/** A phone, the app's id of it and its other form are one address. External ids are ignored: no message can be sent to them. */
export function addressesOf(identities: Identity[]): string[] {
  const texts = identities.flatMap(({ type, value }) => {
    if (type === 'phone' || type === 'messaging_app') {
      const digits = value.replace(/\D/g, '');
      const other = otherSpelling(digits);
      return [`phone:${digits}`, ...(other === undefined ? [] : [`phone:${other}`])];
    }
    if (type === 'external_id') return [];
    return [`${type}:${value}`];
  });
  return [...new Set(texts)];
}

export const hashesOf = (secrets: Secrets, organizationId: string, identities: Identity[]) =>
  addressesOf(identities).map((text) => secrets.hash(`${organizationId}\n${text}`));

/** SQL: the longer suppression of a channel counts; an expired one is replaced by one in force. */
export const unlessLonger = `
  on conflict on constraint contact_suppressions_channel do update
     set reason = excluded.reason, expires_at = excluded.expires_at, updated_at = clock_timestamp()
   where coalesce(excluded.expires_at, 'infinity') > coalesce(contact_suppressions.expires_at, 'infinity')`;

/** SQL: a part of the ledger's own statement, without a query of its own (bench: upsert, inbound). */
const suppressAgainPart: PartText = (organization, contactId, hashes) => `
  remembered as (
    select distinct on (s.channel) s.channel, s.reason, s.expires_at
      from suppressed_addresses s
     where s.organization_id = ${organization}
       and s.hash = any(${hashes}::bytea[])
       and ${inForceSql('s.expires_at')}
     order by s.channel, s.expires_at desc nulls first),
  resuppressed as (
    insert into contact_suppressions (id, organization_id, contact_id, channel, reason, expires_at)
    select uuidv7(), ${organization}, ${contactId}, r.channel, r.reason, r.expires_at
      from remembered r
    ${unlessLonger}
    returning channel, reason, expires_at),
  resuppressions as (
    insert into contact_permission_history (
      id, organization_id, contact_id, kind, channel, state, reason, source, expires_at, actor)
    select uuidv7(), ${organization}, ${contactId}, 'suppression', channel, 'suppressed', reason, 'forgotten before', expires_at, 'system'
      from resuppressed)`;

/** An erased person who comes back stays suppressed. Call in the transaction that adds the identities. */
export function suppressAgain(tx: OwnTx, secrets: Secrets, contactId: string, identities: Identity[]) {
  const hashes = hashesOf(secrets, tx.organizationId, identities);
  if (hashes.length === 0) return;
  tx.include({ text: suppressAgainPart, params: [tx.organizationId, contactId, hashes] });
}

/** SQL: suppressions and blocks of a contact, for each of its addresses, as a set. */
const remember = `
  with live as (
    select s.channel, s.reason, s.expires_at
      from contact_suppressions s
     where s.organization_id = $1
       and s.contact_id = $2
       and ${inForceSql('s.expires_at')}
    union all
    select 'messaging_app', 'blocked', null
      from contact_blocks
     where organization_id = $1
       and contact_id = $2
       and (status = 'pending' or blocked_at is not null)),
  longest as (
    select distinct on (channel) channel, reason, expires_at
      from live
     order by channel, expires_at desc nulls first)
  insert into suppressed_addresses (organization_id, hash, channel, reason, expires_at)
  select $1, h.hash, l.channel, l.reason, l.expires_at
    from longest l, unnest($3::bytea[]) as h(hash)
  on conflict on constraint suppressed_addresses_pkey do update
     set reason = excluded.reason, expires_at = excluded.expires_at
   where coalesce(excluded.expires_at, 'infinity') >= coalesce(suppressed_addresses.expires_at, 'infinity')`;

/** Suppressions and blocks outlive the erasure, by hashed addresses. The longest counts. */
export async function rememberSuppressed(tx: OwnTx, secrets: Secrets, contactId: string, identities: Identity[]): Promise<void> {
  await tx.sql(remember, [contactId, hashesOf(secrets, tx.organizationId, identities)]);
}
