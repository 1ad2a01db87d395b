import { sendMessageJob } from '../../../src/messaging/jobs.ts';
import type { MessageStatus } from '../../../src/messaging/message.entity.ts';
import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { conversationLane, subjectLock } from '../../../src/platform/ledger/locks.ts';
import { channelPool } from '../../../src/platform/ledger/pools.ts';
import type { Transact } from '../../../src/platform/ledger/transact.ts';
import type { EnqueueOptions, Tx } from '../../../src/platform/ledger/tx.ts';
import type { ConversationMade } from './conversation.ts';

type Given = { status?: MessageStatus; direction?: 'inbound' | 'outbound'; providerMessageId?: string; body?: string };

/** A message as it stands in its table, without a job: `queued` and outbound unless something else is said. */
export async function message(
  em: Em,
  organizationId: string,
  { id: conversationId, channel, contact }: ConversationMade,
  given: Given = {},
): Promise<string> {
  const id = uuidv7();
  const { direction = 'outbound', status = direction === 'inbound' ? 'received' : 'queued', body = 'Hello' } = given;
  const phone = contact.phone.replace(/\D/g, '');
  await query(
    em,
    `insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, to_phone, from_phone, content, provider_message_id, sending_at)
     values ($1, $2, $3, $4, $5, $6, 'text', $7, $8, $9, $10, $11, case when $7 = 'sending' then clock_timestamp() end)`,
    [
      id,
      organizationId,
      channel.id,
      conversationId,
      contact.id,
      direction,
      status,
      direction === 'outbound' ? phone : '',
      direction === 'inbound' ? phone : '',
      JSON.stringify({ body }),
      given.providerMessageId ?? null,
    ],
  );
  return id;
}

/** A queued message with its job in the conversation's lane and the channel's pool, as the API accepts it. Returns both ids. */
export function queuedMessage(
  transact: Transact,
  organizationId: string,
  conversation: ConversationMade,
  also?: (tx: Tx, messageId: string) => Promise<void>,
  kind: EnqueueOptions['class'] = 'conversation',
): Promise<{ messageId: string; jobId: string }> {
  const lane = conversationLane(conversation.id);
  return transact({ locks: [lane, subjectLock('conversation', conversation.id)] }, async (tx) => {
    const messageId = await message(tx.em, organizationId, conversation);
    await also?.(tx, messageId);
    const jobId = tx.enqueue(
      sendMessageJob,
      organizationId,
      { message_id: messageId },
      { lane, pool: channelPool(conversation.channel.id), class: kind },
    );
    return { messageId, jobId };
  });
}
