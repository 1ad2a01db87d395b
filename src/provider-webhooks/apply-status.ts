import { contactLock } from '../contacts/events.ts';
import { hearMarketingChoice } from '../contacts/permission/opt-out.ts';
import { applyStatus } from '../messaging/settle.ts';
import type { Em } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { isUuid, uuidv7 } from '../platform/ids.ts';
import { conversationLane, LocksOutdated } from '../platform/ledger/locks.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import { saysNoToMarketing } from '../providers/messaging-app/error-codes.ts';
import type { InboundStatus } from '../providers/messaging-app/inbound.ts';
import type { ChannelRef } from './apply-message.ts';
import { matchStatusJob } from './jobs.ts';

type MessageRef = { id: string; conversation_id: string; contact_id: string | null };

/** Matched by the provider's id, else by ours in the callback data. False: no message of the channel is meant, yet. */
export async function matchStatus(em: Em, transact: Transact, channel: ChannelRef, status: InboundStatus): Promise<boolean> {
  const ours = status.callbackData && isUuid(status.callbackData) ? status.callbackData : null;
  const find = async () => {
    const [row] = await query<MessageRef>(
      em,
      `select id, conversation_id, contact_id from messages where organization_id = $1 and channel_id = $2 and direction = 'outbound' and (provider_message_id = $3 or id = $4::uuid) and $3 <> all(superseded_ids)
      order by provider_message_id = $3 desc nulls last limit 1`,
      [channel.organizationId, channel.id, status.providerMessageId, ours],
    );
    return row;
  };
  const first = await find();
  if (!first) return false;
  const failure = status.error && { code: 'provider_refused', provider_code: status.error.code, message: status.error.message };
  const isRefusal = saysNoToMarketing(status.error?.code);
  // The first look serves the first try. Of a contact that was erased since, the message does not even have the provider's id any more.
  let known: MessageRef | undefined = first;
  const look = async () => {
    const message = known ?? (await find()) ?? { ...first, contact_id: null };
    known = undefined;
    return { message, refuser: isRefusal ? message.contact_id : null };
  };
  const locks = ({ message, refuser }: Awaited<ReturnType<typeof look>>) => [
    conversationLane(message.conversation_id),
    ...(refuser ? [contactLock(refuser)] : []),
  ];
  await transact({ look, locks }, async (tx, { message, refuser }) => {
    await applyStatus(tx, message.id, status.status, status.providerMessageId, failure);
    // One that was kept for a while has its time as text.
    const choice = { status: 'denied', at: new Date(status.at), proof: message.id } as const;
    // Gone: part of another contact, who is the one that refused, or forgotten.
    if (refuser && !(await hearMarketingChoice(tx.of(channel.organizationId), refuser, choice))) throw new LocksOutdated();
  });
  return true;
}

/** Keeps a status nobody is known for, with a job that looks again for 10 minutes: the send's own answer may be on its way. */
export async function keepUnmatched(transact: Transact, channel: ChannelRef, status: InboundStatus) {
  await transact({}, async (tx) => {
    const id = uuidv7();
    await tx.query(
      `insert into unmatched_statuses (id, organization_id, channel_id, provider_message_id, status, state) values ($1, $2, $3, $4, $5, 'waiting')`,
      [id, channel.organizationId, channel.id, status.providerMessageId, JSON.stringify(status)],
    );
    tx.enqueue(matchStatusJob, channel.organizationId, { status_id: id }, { delayMs: 1_000 });
  });
}
