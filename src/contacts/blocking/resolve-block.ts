import type { RowOf } from '../../platform/database/tables.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { addIdentities, findContact, identityTaken, type Person, resolveContact } from '../identities/resolve.ts';
import type { ContactBlock } from './block.entity.ts';

/** `phone` is E.164, `userId` the messaging app's own id; at least one of them. */
export type BlockWho = { phone?: string; userId?: string };

/** Constraints that a concurrent request for the same person, or an erasure, violates. */
export const resolveConflicts = [identityTaken, 'contact_blocks_address', 'contact_blocks_organization_id_contact_id_fkey'];

/** SQL: finds the block by either address and fills in the other; of two blocks, the one with the given address. */
const claimKnown = `
  with told as (
    select profile_phone, profile_user_id
      from conversations
     where organization_id = $1
       and channel_id = $2
       and contact_id = $3
       and (profile_phone = nullif($4, '') or profile_user_id = nullif($5, ''))),
  known as (
    select b.id
      from contact_blocks b
     where b.organization_id = $1
       and b.channel_id = $2
       and b.contact_id = $3
       and (b.address = $6
            or (($4 = '' or b.phone = '')
                and ($5 in (b.address, nullif(b.user_id, ''))
                     or b.address in (select profile_phone from told union all select profile_user_id from told))))
     order by b.address = $6 desc, b.created_at
     limit 1)
  update contact_blocks
     set phone = coalesce(nullif(phone, ''), $4), user_id = coalesce(nullif(user_id, ''), $5)
   where id = (select id from known)
  returning id`;

/** SQL: find or create in one statement. */
const insertBlock = `
  insert into contact_blocks (id, organization_id, channel_id, contact_id, address, phone, user_id, status)
  values (uuidv7(), $1, $2, $3, $6, $4, $5, 'unblocked')
  on conflict on constraint contact_blocks_address do update set contact_id = excluded.contact_id
  returning id`;

/** Another phone of the same person is another block. Does not call the provider. Retry on `resolveConflicts`. */
export async function resolveBlock(tx: OwnTx, secrets: Secrets, channelId: string, who: BlockWho): Promise<string> {
  const phone = who.phone?.replace(/\D/g, '') ?? '';
  const userId = who.userId ?? '';
  const params = [channelId, await contactOf(tx, secrets, who), phone, userId, phone || userId];
  return (await idFrom(tx, claimKnown, params)) ?? (await idFrom(tx, insertBlock, params))!;
}

async function idFrom(own: OwnTx, text: string, params: string[]): Promise<string | undefined> {
  const [row] = await own.sql<RowOf<typeof ContactBlock, 'id'>>(text, params);
  return row?.id;
}

/** If the addresses belong to two contacts, the phone decides: the provider receives the phone. */
async function contactOf(tx: OwnTx, secrets: Secrets, who: Person): Promise<string> {
  const byPhone = who.phone && (await findContact(tx, { phone: who.phone }));
  if (!byPhone) return resolveContact(tx, secrets, who);
  await addIdentities(tx, secrets, byPhone, who);
  return byPhone;
}
