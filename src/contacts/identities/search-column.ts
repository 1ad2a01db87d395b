import type { OwnTx } from '../../platform/ledger/tx.ts';

/**
 * `k` is the contact. Must be written whenever its identities, phone, email or user names change, and only here. User names are what the provider
 * said in conversations, which are messaging's.
 */
export const otherAddresses = `coalesce((
    select string_agg(
             E'\\n' || case i.type when 'phone' then ltrim(i.value, '+') else fold(i.value) end, '' order by i.value)
      from contact_identities i
     where i.organization_id = k.organization_id
       and i.contact_id = k.id
       and ((i.type = 'phone' and i.value <> k.phone_number) or (i.type = 'email' and i.value <> lower(k.email)))), '')
  || coalesce((
    select string_agg(distinct E'\\n' || fold(v.profile_username), '')
      from conversations v
     where v.organization_id = k.organization_id
       and v.contact_id = k.id
       and v.profile_username <> ''), '')`;

/** SQL: the column is computed from a second table, and written only when it changes. */
export async function refreshAddresses(tx: OwnTx, contactId: string): Promise<void> {
  await tx.sql(
    `update contacts k
        set other_addresses = ${otherAddresses}
      where k.organization_id = $1
        and k.id = $2
        and k.other_addresses is distinct from ${otherAddresses}`,
    [contactId],
  );
}
