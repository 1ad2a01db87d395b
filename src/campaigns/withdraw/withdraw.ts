import { callOffMany } from '../../messaging/call-off-many.ts';
import type { Message } from '../../messaging/message.entity.ts';
import { now } from '../../platform/database/columns.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { Campaign } from '../campaign.entity.ts';
import { cancelled } from './cancelled.ts';

/** Messages of one transaction, which holds the lane of each. */
const usualStep = 50;

/**
 * SQL: the message's status in a form that no partial index fits (feed/batch.ts). What no worker has claimed; at most a second of each channel's
 * rate, or a little more. Whose first send has no answer may have arrived: its claim refuses it, as one whose outcome nobody knows.
 */
const waitingStatement = `
  select m.id, m.conversation_id
    from campaign_recipients r
    join messages m on m.organization_id = r.organization_id and m.id = r.message_id
   where r.organization_id = $1
     and r.campaign_id = $2
     and r.status = 'queued'
     and (m.status = 'queued') is true
     and m.resends = 0
   order by r.id
   limit $3`;
type Waiting = RowOf<typeof Message, 'id' | 'conversation_id'>;

/** SQL: a set of many ids as one parameter, each row found by the index of its message. */
const skipStatement = `
  update campaign_recipients
     set status = 'skipped', reason = 'cancelled', failure_code = '', queued_at = null
   where organization_id = $1
     and message_id = any($2::uuid[])
     and status = 'queued'`;

/**
 * Ends messages that wait, in a held pool too; one that a worker has claimed goes its way. A batch; false: it was the last. Where a message
 * is no longer where it was, as after a merge, it is looked at again.
 */
export async function withdrawQueued(own: Own, transact: TenantTransact, campaignId: string, size = usualStep): Promise<boolean> {
  const look = () => own.sql<Waiting>(waitingStatement, [campaignId, size]);
  const locks = (waiting: Waiting[]) => waiting.map(({ conversation_id }) => conversationLane(conversation_id));
  return transact({ look, locks }, async ({ own: tx }, waiting) => {
    if (waiting.length === 0) return false;
    const ids = await callOffMany(
      tx,
      waiting.map(({ id }) => id),
      cancelled,
    );
    await tx.sql(skipStatement, [ids]);
    return waiting.length === size;
  });
}

export const endWithdrawal = (own: OwnTx, id: string) =>
  own.update(Campaign, { id, status: { $in: ['cancelled', 'failed'] } }, { withdrawing: false, updated_at: now() });
