import type { OwnTx } from '../../platform/ledger/tx.ts';

/** Of contact `k` in conversation `v`: a preferred one, else the newest, since an old one may be another person's by now. */
const addressOf = ({ types, preferred }: { types: string[]; preferred: string[] }) => `(
  select i.value
    from contact_identities i
   where i.organization_id = k.organization_id and i.contact_id = k.id
     and i.type in (${types.map((type) => `'${type}'`).join(', ')})
   order by ${preferred.map((column) => `ltrim(i.value, '+') = ltrim(${column}, '+') desc`).join(', ')},
         i.type, i.created_at desc, i.id desc
   limit 1)`;

export const phoneAddress = addressOf({ types: ['messaging_app', 'phone'], preferred: ['v.profile_phone', 'k.phone_number'] });
export const userIdAddress = addressOf({ types: ['messaging_app_id'], preferred: ['v.profile_user_id'] });

/**
 * SQL: messages are messaging's table, which contacts must not import. A message keeps its address while the contact has that. The status in
 * a form that no partial index fits: the contact's messages are fewer than all that wait.
 */
const readdress = (which: string) => `
  update messages m
     set to_phone = ltrim(coalesce(a.phone, ''), '+'),
         to_user_id = case when a.phone is null then coalesce(a.user_id, '') else '' end
    from contacts k
    join conversations v on v.organization_id = k.organization_id and v.contact_id = k.id,
         lateral (select ${phoneAddress} as phone, ${userIdAddress} as user_id) a
   where m.organization_id = $1
     and ${which}
     and (m.status = 'queued') is true
     and k.organization_id = m.organization_id
     and k.id = m.contact_id
     and v.id = m.conversation_id
     and not exists (
       select 1
         from contact_identities i
        where i.organization_id = m.organization_id
          and i.contact_id = m.contact_id
          and (i.type, i.value) in (
            ('messaging_app', m.to_phone), ('phone', '+' || m.to_phone), ('messaging_app_id', m.to_user_id)))`;
const ofContact = readdress('m.contact_id = $2');
const ofMessage = readdress('m.id = $2');

/** After an address was taken from the contact: what waits must not go to whoever has it next. */
export async function readdressQueued(tx: OwnTx, contactId: string): Promise<void> {
  await tx.sql(ofContact, [contactId]);
}

/** Of a message that is queued again. */
export async function readdressMessage(tx: OwnTx, messageId: string): Promise<void> {
  await tx.sql(ofMessage, [messageId]);
}
