import type { Em } from '../../platform/database/database.ts';
import { query } from '../../platform/database/query.ts';
import type { Transact } from '../../platform/ledger/transact.ts';
import { contactLock, emitUpdated } from '../events.ts';
import { type BlockPayload, type BlockWish, blockWishes } from '../jobs.ts';

export type OpenBlock = {
  contact_id: string;
  phone: string;
  user_id: string;
  channel_id: string;
  phone_number_id: string;
  account_id: string;
  access_token: string;
};

/** What the provider needs to know for a change. Undefined: it has been made, another one was asked for since, or the contact is gone. */
export async function openBlock(em: Em, { block_id, change_id }: BlockPayload, wish: BlockWish): Promise<OpenBlock | undefined> {
  const [row] = await query<OpenBlock>(
    em,
    `select b.contact_id, b.phone, b.user_id, b.channel_id, c.phone_number_id, c.account_id, c.access_token
       from contact_blocks b join channels c on c.organization_id = b.organization_id and c.id = b.channel_id
      where b.id = $1 and b.change_id = $2 and b.status = $3`,
    [block_id, change_id, blockWishes[wish].doing],
  );
  return row;
}

/** The provider did it. False: the contact became part of another meanwhile, look again. */
export function settleBlock(
  transact: Transact,
  organizationId: string,
  { block_id, change_id }: BlockPayload,
  contactId: string,
  wish: BlockWish,
): Promise<boolean> {
  const { doing, done } = blockWishes[wish];
  return transact({ locks: [contactLock(contactId)] }, async (tx) => {
    const [contact] = await tx.query<{ name: string }>(
      `update contact_blocks b set status = $5, failure = null, updated_at = clock_timestamp(),
              blocked_at = case when $5 = 'blocked' then coalesce(b.blocked_at, clock_timestamp()) end
         from contacts k
        where b.organization_id = $1 and b.id = $2 and b.change_id = $3 and b.status = $4 and b.contact_id = $6
          and k.organization_id = b.organization_id and k.id = b.contact_id returning k.name`,
      [organizationId, block_id, change_id, doing, done, contactId],
    );
    if (contact) emitUpdated(tx.of(organizationId), { id: contactId, name: contact.name }, ['blocks']);
    return contact !== undefined;
  });
}
