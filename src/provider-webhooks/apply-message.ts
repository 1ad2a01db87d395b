import { isContactMissing } from '../contacts/contact-missing.ts';
import { contactLock } from '../contacts/events.ts';
import { identityTaken } from '../contacts/identities/resolve.ts';
import { refreshAddresses } from '../contacts/identities/search-column.ts';
import { optOut } from '../contacts/permission/opt-out.ts';
import { nameByProfile } from '../contacts/profiles.ts';
import { type AnswerRule, findOpening, type Match, storeResponse, unmatched } from '../flows/responses.ts';
import { hearAnswer, hearClick } from '../messaging/campaign-answers.ts';
import { type ConversationRef, conversationTaken, resolveConversation } from '../messaging/conversations.ts';
import { fetchLater } from '../messaging/files/jobs.ts';
import { fileIdIn } from '../messaging/files/received.ts';
import { answerLockOf, wakeKept } from '../messaging/kept-statuses.ts';
import { Message } from '../messaging/message.entity.ts';
import { isStopWord } from '../messaging/stop-words.ts';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { uuidv7 } from '../platform/ids.ts';
import { conversationLane, LocksOutdated } from '../platform/ledger/locks.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { bindTo } from '../platform/listing/bind.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { InboundMessage } from '../providers/messaging-app/inbound.ts';
import { amendMessageJob, matchAnswerJob } from './jobs.ts';
import {
  emitNew,
  insertMessage,
  isWritten,
  orRepeat,
  type Placed,
  paramsOfMessage,
  paramsOfShown,
  type Received,
  receivedAt,
  type Statuses,
  showMessage,
  shownOf,
} from './message-rows.ts';
import { withoutNul } from './without-nul.ts';

/** Without `received` a message came now. `matched`: counts an answer to a flow. */
export type Applying = {
  transact: TenantTransact;
  secrets: Secrets;
  stopWords: string[];
  received?: Received;
  matched?: (rule: AnswerRule) => void;
};

/** `match`: of an answer to a flow. */
type Looked = ConversationRef & { match?: Match };

/** The message that is edited may come a moment later. */
const firstLookMs = 10_000;
/** The provider's answer to a send takes less than that, as a rule. */
const firstMatchMs = 2_000;

/** From the person, or from the owner's phone app. A repeat changes nothing. `who`: the person's present addresses. */
export async function applyMessage(
  { transact, secrets, stopWords, received, matched }: Applying,
  channelId: string,
  message: InboundMessage,
  who: InboundMessage['from'] = message.from,
): Promise<'new' | 'repeat'> {
  const isInbound = message.direction === 'inbound';
  const isStop = isInbound && isStopWord(stopWords, message.type, message.content);
  const hasFile = fileIdIn(message.type, message.content) !== undefined;
  const answered = message.flowAnswer;
  const look = () =>
    transact({ retryOn: [identityTaken, conversationTaken] }, async ({ own }): Promise<Looked> => {
      const conversation = await resolveConversation(own, secrets, channelId, who);
      if (!answered) return conversation;
      const { contextId = null } = message;
      const { token } = answered;
      return {
        ...conversation,
        match: await findOpening(own, secrets, { channelId, conversationId: conversation.id, contextId, token }),
      };
    });
  // An echo can have statuses that came before it.
  const answer = isInbound ? [] : [{ channelId, providerMessageId: message.providerMessageId }];
  const locks = ({ id, contactId }: ConversationRef) => [
    conversationLane(id),
    ...answer.map(answerLockOf),
    ...(isStop ? [contactLock(contactId)] : []),
  ];
  // If the contact is erased at the same time, the sender becomes a new contact.
  const applied = await transact({ look, locks, outdatedBy: isContactMissing }, async (tx, conversation) => {
    const placed = { id: uuidv7(), channelId, conversationId: conversation.id, message, isInbound, hasFile, received };
    const inserted = await storeMessage(tx.own, placed);
    if (!inserted) return { outcome: 'repeat' as const };
    const { contact_id: contactId, clicked_message_id: clicked } = inserted;
    if (clicked && isInbound) await hearClick(tx.own, clicked);
    if (isStop) {
      tx.assertLocked(contactLock(contactId));
      await optOut(tx.own, contactId, placed.id, message.at);
    }
    const { is_nameless, is_renamed, awaited, ...statuses } = await updateConversation(tx.own, placed);
    // The search finds people by their user names.
    if (is_renamed) await refreshAddresses(tx.own, contactId);
    if (awaited && isWritten(placed))
      await hearAnswer(tx.own, { conversationId: conversation.id, recipientId: awaited, at: message.at });
    emitNew(tx.own, placed, contactId, statuses);
    if (answered) {
      const { match = unmatched } = conversation;
      storeResponse(
        tx.own,
        { messageId: placed.id, conversationId: placed.conversationId, contactId, channelId },
        answered,
        match,
      );
      if (match.isOpen) tx.own.enqueue(matchAnswerJob, { message_id: placed.id }, { delayMs: firstMatchMs });
    }
    wakeKept(tx.own, answer);
    if (placed.hasFile) await fetchLater(tx.own, placed.id);
    if (message.amendment) tx.own.enqueue(amendMessageJob, { message_id: placed.id }, { delayMs: firstLookMs });
    const rule = answered && !conversation.match?.isOpen ? (conversation.match?.rule ?? 'none') : undefined;
    return { outcome: 'new' as const, nameless: is_nameless ? contactId : undefined, rule };
  });
  if (applied.rule) matched?.(applied.rule);
  const { name } = message.from;
  if (applied.nameless && isInbound && name) await nameByProfile(transact, applied.nameless, withoutNul(name));
  return applied.outcome;
}

/** `clicked_message_id`: a button of a campaign's message. */
type Inserted = { contact_id: string; clicked_message_id: string | null };

const placesOf = (count: number) => Array.from({ length: count }, bindTo([]));

const insertStatement = `${insertMessage(...placesOf(16))}${orRepeat}
     returning contact_id, case when type in ('button', 'interactive') then (
                 select x.id
                   from messages x
                  where x.organization_id = $1 and x.id = messages.context_message_id and x.campaign_id is not null) end as clicked_message_id`;

/** Undefined: the message is stored already. SQL: message-rows.ts. */
async function storeMessage(own: OwnTx, placed: Placed) {
  const { channelId, message, received } = placed;
  const { providerMessageId } = message;
  const [inserted] = await own.sql<Inserted>(insertStatement, paramsOfMessage(placed));
  if (inserted) return inserted;
  if (await isStored(own, channelId, providerMessageId)) {
    if (received) await receivedBefore(own, channelId, providerMessageId, received);
    return undefined;
  }
  // The conversation was merged, or its contact erased, before its lane was locked.
  throw new LocksOutdated();
}

/** SQL: a condition on the row. The provider's repeat was applied before the first: the message is as old as that. */
const receivedBefore = (own: OwnTx, channelId: string, providerMessageId: string, { at, place }: Received) =>
  own.sql(
    `update messages
        set created_at = ${receivedAt('$4', '$5')}
      where organization_id = $1 and channel_id = $2 and provider_message_id = $3 and provider_at is not null
        and created_at > ${receivedAt('$4', '$5')}`,
    [channelId, providerMessageId, at, place],
  );

/** `awaited`: the recipient of a campaign who has not answered before. */
type Updated = Statuses & { is_nameless: boolean; is_renamed: boolean; awaited: string | null };

const showStatement = `${showMessage(...placesOf(10))}
     returning ${shownOf('$5')}, profile_username <> old.profile_username as is_renamed,
               (select k.name = '' from contacts k where k.organization_id = $1 and k.id = contact_id) as is_nameless`;

/** SQL: message-rows.ts; also returns whether its contact has a name. */
async function updateConversation(own: OwnTx, placed: Placed): Promise<Updated> {
  const [updated] = await own.sql<Updated>(showStatement, paramsOfShown(placed));
  return updated ?? { status: 'open', was: 'open', is_late: false, is_nameless: false, is_renamed: false, awaited: null };
}

const messageOfProvider = statement(
  (select, { channelId, providerMessageId }: { channelId: string; providerMessageId: string }) =>
    select(Message).select('id').where('channel_id', '=', channelId).where('provider_message_id', '=', providerMessageId),
);

export async function isStored(own: Own, channelId: string, providerMessageId: string): Promise<boolean> {
  const found = await messageOfProvider(own, { channelId, providerMessageId });
  return found.length > 0;
}
