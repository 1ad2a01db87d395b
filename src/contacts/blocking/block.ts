import { findChannel } from '../../channels/queries.ts';
import type { Em } from '../../platform/database/database.ts';
import { query } from '../../platform/database/query.ts';
import { AppError, notFound } from '../../platform/errors.ts';
import { isUuid, uuidv7 } from '../../platform/ids.ts';
import type { Transact } from '../../platform/ledger/transact.ts';
import type { Tx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { addIdentities, findContact, identityTaken, type Person, resolveContact } from '../identities/resolve.ts';
import { type BlockWish, blockWishes } from '../jobs.ts';
import type { BlockStatus } from './block.entity.ts';

/** E.164, and the messaging app's own id of the person; one of them at least. */
export type BlockWho = { phone?: string; userId?: string };

/** What is asked of one block happens in the order of asking. */
export const blockLane = (blockId: string) => `contact-block:${blockId}`;

/** Throws 404 for a foreign channel, 409 for one that is not connected. */
export async function mustBeConnected(em: Em, organizationId: string, channelId: string) {
  const channel = isUuid(channelId) ? await findChannel(em, organizationId, channelId) : undefined;
  if (!channel) throw notFound('Channel');
  if (channel.status !== 'connected')
    throw new AppError('conflict', `The channel cannot reach the provider: it is ${channel.status}`);
}

/**
 * The block of a person on a channel, whichever of his addresses on it is given: the webhooks tell which phone and user id are one. One of
 * another phone of his is another block. Made where there is none, with the contact; nothing is asked of anybody yet. Its id.
 */
export function resolveBlock(
  transact: Transact,
  secrets: Secrets,
  organizationId: string,
  channelId: string,
  who: BlockWho,
): Promise<string> {
  const phone = who.phone?.replace(/\D/g, '') ?? '';
  const userId = who.userId ?? '';
  return transact({ retryOn: [identityTaken, 'contact_blocks_address', contactGone] }, async (tx) => {
    const contactId = await contactOf(tx, secrets, organizationId, who);
    const [known] = await tx.query<{ id: string }>(
      `with told as (
         select profile_phone, profile_user_id from conversations
          where organization_id = $1 and channel_id = $2 and contact_id = $3 and (profile_phone = nullif($4, '') or profile_user_id = nullif($5, '')))
       update contact_blocks set phone = coalesce(nullif(phone, ''), $4), user_id = coalesce(nullif(user_id, ''), $5)
        where id = (select b.id from contact_blocks b where b.organization_id = $1 and b.channel_id = $2 and b.contact_id = $3
          and (b.address = $6 or (($4 = '' or b.phone = '')
               and ($5 in (b.address, nullif(b.user_id, '')) or b.address in (select profile_phone from told union all select profile_user_id from told))))
          order by b.address = $6 desc, b.created_at limit 1)
       returning id`,
      [organizationId, channelId, contactId, phone, userId, phone || userId],
    );
    if (known) return known.id;
    const [made] = await tx.query<{ id: string }>(
      `insert into contact_blocks (id, organization_id, channel_id, contact_id, address, phone, user_id, status) values ($1, $2, $3, $4, $5, $6, $7, 'unblocked')
       on conflict on constraint contact_blocks_address do update set contact_id = excluded.contact_id returning id`,
      [uuidv7(), organizationId, channelId, contactId, phone || userId, phone, userId],
    );
    return made!.id;
  });
}

/** Of two people the one who has the phone is meant: it is what the provider is asked with. */
async function contactOf(tx: Tx, secrets: Secrets, organizationId: string, who: Person): Promise<string> {
  const byPhone = who.phone && (await findContact(tx.of(organizationId), { phone: who.phone }));
  if (!byPhone) return resolveContact(tx.of(organizationId), secrets, who);
  await addIdentities(tx.of(organizationId), secrets, byPhone, who);
  return byPhone;
}

const contactGone = 'contact_blocks_organization_id_contact_id_fkey';

export type Asked = { status: 'pending' | 'blocked' | 'unblocked'; operationId?: string };

/** Leaves a wish to the worker, unless it has been fulfilled or is under way. The lock of the block's lane is held. */
export async function askForBlock(tx: Tx, organizationId: string, blockId: string, wish: BlockWish): Promise<Asked> {
  const { job, doing, done } = blockWishes[wish];
  const [row] = await tx.query<{ status: BlockStatus; change_id: string | null }>(
    'select status, change_id from contact_blocks where organization_id = $1 and id = $2 for update',
    [organizationId, blockId],
  );
  // Forgotten meanwhile.
  if (!row) throw notFound('Contact');
  // Nobody asked yet: that the provider does not block him is a guess.
  if (row.status === done && row.change_id !== null) return { status: done };
  if (row.status === doing) {
    const [live] = await tx.query<{ id: string }>(
      `select id from jobs where subject_id = $1 and name = $2 and payload->>'change_id' = $3 and state in ('blocked', 'waiting', 'queued')`,
      [blockId, job.name, row.change_id],
    );
    if (live) return { status: 'pending', operationId: live.id };
  }
  const changeId = uuidv7();
  await tx.query(
    'update contact_blocks set status = $3, change_id = $4, failure = null, updated_at = clock_timestamp() where organization_id = $1 and id = $2',
    [organizationId, blockId, doing, changeId],
  );
  const payload = { block_id: blockId, change_id: changeId };
  return { status: 'pending', operationId: tx.enqueue(job, organizationId, payload, { lane: blockLane(blockId) }) };
}

/** How the block stands that an operation was about. Undefined: it is gone with the contact. */
export async function blockStatusOf(em: Em, organizationId: string, operationId: string): Promise<BlockStatus | undefined> {
  const [row] = await query<{ status: BlockStatus }>(
    em,
    `select b.status from jobs j join contact_blocks b on b.organization_id = $1 and b.id = j.subject_id where j.organization_id = $1 and j.id = $2`,
    [organizationId, operationId],
  );
  return row?.status;
}
