import { isContactMissing } from '../contacts/contact-missing.ts';
import { identitiesOf } from '../contacts/identities/resolve.ts';
import { type Opening, storeResponseOf } from '../flows/responses.ts';
import { fileIdIn } from '../messaging/files/received.ts';
import { isStopWord } from '../messaging/stop-words.ts';
import type { Own } from '../platform/database/own.ts';
import { flowResponseReceived } from '../platform/events/flow-events.ts';
import { isHeard } from '../platform/events/record.ts';
import { uuidv7 } from '../platform/ids.ts';
import { conversationLane } from '../platform/ledger/locks.ts';
import type { PartText } from '../platform/ledger/part.ts';
import type { Look } from '../platform/ledger/transact.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { InboundMessage } from '../providers/messaging-app/inbound.ts';
import {
  emitNew,
  insertMessage,
  isLate,
  newsTypes,
  orRepeat,
  paramsOfMessage,
  paramsOfShown,
  type Received,
  type Statuses,
  showMessage,
  shownOf,
} from './message-rows.ts';
import { withoutNul } from './without-nul.ts';

/**
 * Most messages are of somebody who is known, and ask for no more than their row, their conversation's and two events: one look and one write,
 * as for statuses (decisions/0017). The write asserts what the events were made from. Whatever else there is to do about a message is in
 * apply-message.ts, which can do all of it.
 */

/** A button of a campaign's message changes other rows too, so the message that is answered is looked at. */
const answers = new Set(['button', 'interactive']);
const isAnswer = ({ type }: InboundMessage) => answers.has(type);

/** Nothing but its rows is written for it, and of an answer to a flow the response: no consent, no file, no other message. */
export const isPlain = (message: InboundMessage, stopWords: string[]) =>
  message.direction === 'inbound' &&
  message.groupId === undefined &&
  message.type !== 'system' &&
  message.amendment === undefined &&
  fileIdIn(message.type, message.content) === undefined &&
  !isStopWord(stopWords, message.type, message.content);

/** By its number, or the one whose own app signed the body. `message_id`: of an answer, the message of ours with a flow that it answers. */
type Sender = Statuses & { channel_id: string; contact_id: string; conversation_id: string; is_heard: boolean } & (
    | Opening
    | { message_id?: null }
  );

/** The message is a repeat, or its sender is not known by all addresses, or more is to be done about their conversation. */
export class NotKnown extends Error {}

/** The contact that has an address. Sub-selects, not joins: each is one look in the index of addresses, whatever the planner thinks of the table. */
const ownerOf = (type: string, value: string) => `
  (select i.contact_id
     from contact_identities i
    where i.organization_id = $1 and i.type = ${type} and i.source = '' and i.value = ${value})`;

/** Of a phone, two addresses; of a user id, one. */
const mostAddresses = 3;

type LookParts = { columns: string; joins: string; condition: string; types: string[] };

/** SQL: all that decides the write, in one look; no row where there is more to do (bench: inbound-message, flow-answer). */
const lookWith = ({ columns, joins, condition, types }: LookParts) => `
  select c.id as channel_id, o.contact_id, v.id as conversation_id, v.status as was, ${isLate('$4', 'v.last_inbound_at')} as is_late,
         case when v.status = 'resolved' then 'open' else v.status end as status,
         ${isHeard('$1', ...types)} as is_heard${columns}
    from (select ${ownerOf('$7', '$8')} as contact_id offset 0) o
    join channels c
      on c.organization_id = $1 and c.phone_number_id = $2 and (c.deleted_at is null) is true and ($3::uuid is null or c.id = $3)
    join conversations v on v.organization_id = $1 and v.channel_id = c.id and v.contact_id = o.contact_id
    join contacts k on k.organization_id = $1 and k.id = o.contact_id${joins}
   where ($9::text is null or ${ownerOf('$9', '$10')} = o.contact_id)
     and ($11::text is null or ${ownerOf('$11', '$12')} = o.contact_id)
     and (v.status <> 'snoozed') is true
     and (v.awaited_recipient_id is null) is true
     and (k.name <> '' or not $6::boolean)
     and ($13::text is null or v.profile_username = $13)
     and (select m.id
            from messages m
           where m.organization_id = $1 and m.channel_id = c.id and m.provider_message_id = $5) is null${condition}`;

const lookStatement = lookWith({ columns: '', joins: '', condition: '', types: newsTypes });
/** With the message that is answered, which is of no campaign, and its flow. */
const lookAtAnswer = lookWith({
  columns: ', a.message_id, a.flow_id, a.client_token, a.labels',
  joins: `
    left join lateral (
      select x.campaign_id, s.message_id, s.flow_id, s.client_token, f.labels
        from messages x
        left join flow_sends s on s.organization_id = $1 and s.message_id = x.id
        left join flow_versions f on f.organization_id = $1 and f.flow_id = s.flow_id and f.number = s.version
       where x.organization_id = $1 and x.channel_id = c.id and x.provider_message_id = $14
      offset 0) a on true`,
  condition: `
     and (a.campaign_id is null) is true`,
  types: [...newsTypes, flowResponseReceived.type],
});

/** One more look and the longer way, where it is not as it seemed: NotKnown. */
export function lookAtSender(own: Own, message: InboundMessage, onlyChannelId: string | null): Look<Sender> {
  const { phoneNumberId, at, providerMessageId, from } = message;
  const addresses = identitiesOf(from);
  const places = Array.from({ length: mostAddresses }, (_, index) => addresses[index]);
  const params = [
    ...[phoneNumberId, onlyChannelId, at, providerMessageId, Boolean(from.name)],
    ...places.flatMap((address) => [address?.type ?? null, address?.value ?? null]),
    from.username ? withoutNul(from.username) : null,
    ...(isAnswer(message) ? [message.contextId ?? null] : []),
  ];
  const text = isAnswer(message) ? lookAtAnswer : lookStatement;
  return {
    async look() {
      const [sender] = await own.sql<Sender>(text, params);
      // Our token, a channel that the number had before, or the provider's id that is to come may still tell which flow was answered.
      if (!sender || (message.flowAnswer && !sender.message_id)) throw new NotKnown();
      return sender;
    },
    locks: ({ conversation_id: id }) => [conversationLane(id)],
    isOneTrip: true,
    outdatedBy: isContactMissing,
  };
}

const counts = { message: 15, shown: 9 };

/** SQL: a part of the ledger's statement. The parameters of both statements, then what was seen: contact, status, whether it is late. */
const storePart: PartText = (organization, ...places) => {
  const [shown, seen] = [places.slice(counts.message, -3), places.slice(-3)];
  return `
  new_message as (${insertMessage(organization!, ...places.slice(0, counts.message))} and v.contact_id = ${seen[0]}::uuid${orRepeat}
     returning id, contact_id, conversation_id, channel_id, created_at),
  shown as (${showMessage(organization!, ...shown)} and exists (select 1 from new_message)
     returning ${shownOf(shown[3]!)})`;
};

const asSeen: PartText = (_organization, ...places) => {
  const [, was, late] = places.slice(-3);
  return `exists (select 1 from shown s where s.was = ${was} and s.is_late = ${late}::boolean and s.awaited is null)`;
};

/** Needs the conversation's lane; writes nothing when the conversation is no longer as it was looked at (LocksOutdated). */
export function storeOfSender(own: OwnTx, message: InboundMessage, sender: Sender, received?: Received): void {
  const { channel_id: channelId, conversation_id: conversationId, contact_id: contactId, was, is_late } = sender;
  const placed = { id: uuidv7(), channelId, conversationId, message, isInbound: true, hasFile: false, received };
  own.include({
    text: storePart,
    params: [own.organizationId, ...paramsOfMessage(placed), ...paramsOfShown(placed), contactId, was, is_late],
    assertion: asSeen,
  });
  emitNew(own, placed, contactId, sender, sender.is_heard);
  if (message.flowAnswer && sender.message_id)
    storeResponseOf('new_message', own, { messageId: placed.id, conversationId, contactId, channelId }, message.flowAnswer, {
      opening: sender,
      isHeard: sender.is_heard,
    });
}
