import { contactLock } from '../contacts/events.ts';
import { hearMarketingChoice } from '../contacts/permission/opt-out.ts';
import type { Message } from '../messaging/message.entity.ts';
import { applyStatus } from '../messaging/settle.ts';
import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { isUuid, uuidv7 } from '../platform/ids.ts';
import { conversationLane, LocksOutdated } from '../platform/ledger/locks.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import { saysNoToMarketing } from '../providers/messaging-app/error-codes.ts';
import type { InboundStatus } from '../providers/messaging-app/inbound.ts';
import { matchStatusJob } from './jobs.ts';
import { UnmatchedStatus } from './provider-webhook.entity.ts';

type MessageRef = RowOf<typeof Message, 'id' | 'conversation_id' | 'contact_id'>;

/** SQL: by the provider's id, else by ours, in one query (bench: inbound). */
async function findMessageOf(own: Own, channelId: string, status: InboundStatus): Promise<MessageRef | undefined> {
  const ours = status.callbackData && isUuid(status.callbackData) ? status.callbackData : null;
  const [row] = await own.sql<MessageRef>(
    `select id, conversation_id, contact_id
       from messages
      where organization_id = $1 and channel_id = $2 and direction = 'outbound'
        and (provider_message_id = $3 or id = $4::uuid)
        and $3 <> all(superseded_ids)
      order by provider_message_id = $3 desc nulls last
      limit 1`,
    [channelId, status.providerMessageId, ours],
  );
  return row;
}

/** False: no message of the channel matches yet. */
export async function matchStatus(
  own: Own,
  transact: TenantTransact,
  channelId: string,
  status: InboundStatus,
): Promise<boolean> {
  const first = await findMessageOf(own, channelId, status);
  if (!first) return false;
  const failure = status.error && { code: 'provider_refused', provider_code: status.error.code, message: status.error.message };
  const isRefusal = saysNoToMarketing(status.error?.code);
  // The first look serves the first attempt. The message of an erased contact has lost the provider's id too.
  const look = async (attempt: number) => {
    const message = attempt === 1 ? first : ((await findMessageOf(own, channelId, status)) ?? { ...first, contact_id: null });
    return { message, refuser: isRefusal ? message.contact_id : null };
  };
  const locks = ({ message, refuser }: Awaited<ReturnType<typeof look>>) => [
    conversationLane(message.conversation_id),
    ...(refuser ? [contactLock(refuser)] : []),
  ];
  await transact({ look, locks }, async (tx, { message, refuser }) => {
    await applyStatus(tx.own, message.id, status.status, status.providerMessageId, failure);
    // A stored status has its time as text.
    const choice = { status: 'denied', at: new Date(status.at), proof: message.id } as const;
    if (refuser && !(await hearMarketingChoice(tx.own, refuser, choice))) throw new LocksOutdated();
  });
  return true;
}

/** The job tries again for 10 minutes: the reply to the send may still be on its way. */
export async function keepUnmatched(transact: TenantTransact, channelId: string, status: InboundStatus) {
  await transact({}, async ({ own }) => {
    const id = uuidv7();
    const { providerMessageId: provider_message_id } = status;
    await own.insert(UnmatchedStatus, { id, channel_id: channelId, provider_message_id, status, state: 'waiting' });
    own.enqueue(matchStatusJob, { status_id: id }, { delayMs: 1_000 });
  });
}
