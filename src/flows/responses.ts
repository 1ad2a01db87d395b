import type { Own } from '../platform/database/own.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { flowResponseReceived } from '../platform/events/flow-events.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { PartText } from '../platform/ledger/part.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { FlowAnswer as Answer } from '../providers/messaging-app/flow-answer.ts';
import type { FlowSend } from './answer.entity.ts';
import type { AnswerLabels } from './document/labels.ts';
import { shownAnswers } from './shown-answers.ts';
import { messageIdIn } from './token.ts';

/** The message of ours that an answer belongs to, with what is known of its flow. */
export type Opening = RowOf<typeof FlowSend, 'message_id' | 'flow_id' | 'client_token'> & { labels: AnswerLabels | null };
/** How an answer was matched: by the message that it answers, by our token, by an id that the message had before or got later, not at all. */
export const answerRules = ['message', 'token', 'later', 'none'] as const;
export type AnswerRule = (typeof answerRules)[number];

/**
 * `isOpen`: a send of a flow into this conversation does not have the provider's id yet, so that the answer may be to that one. `isTokenOurs`: it is no
 * answer of the person, whether its message was found or not.
 */
export type Match = { opening?: Opening; isOpen: boolean; rule: AnswerRule; isTokenOurs?: boolean };
export const unmatched: Match = { isOpen: false, rule: 'none' };

type Answered = { channelId: string; conversationId: string; contextId: string | null; token?: string };

const columns = 's.message_id, s.flow_id, s.client_token, v.labels';
const joined = `
    join flow_sends s on s.organization_id = m.organization_id and s.message_id = m.id
    left join flow_versions v
      on v.organization_id = s.organization_id and v.flow_id = s.flow_id and v.number = s.version`;

/**
 * SQL: the message that it answers, else the one that its token names: messages stand above flows. Of every channel that the number had: one that is
 * connected again is another channel, and a form that was sent before can be answered after.
 */
const named = `
  select ${columns}, m.rule
    from channels n
    join channels c on c.organization_id = $1 and c.phone_number_id = n.phone_number_id
   cross join lateral (
          select id, organization_id, 1 as rule
            from messages
           where organization_id = $1 and channel_id = c.id and provider_message_id = $3
           union all
          select id, organization_id, 2
            from messages
           where organization_id = $1 and id = $4::uuid and channel_id = c.id) m
    ${joined}
   where n.organization_id = $1 and n.id = $2
   order by m.rule, c.id <> $2
   limit 1`;

/** SQL: of the conversation: an earlier send of a message that was sent again, one whose id came just now, or one whose id is to come. */
const others = `
  select *
    from (select ${columns}, ($3 = m.provider_message_id or $3 = any(m.superseded_ids)) is true as is_it,
                 m.provider_message_id is null and (m.status = 'sending' or m.failure->>'code' = 'outcome_unknown') as is_open
            from messages m
            ${joined}
           where m.organization_id = $1
             and m.conversation_id = $2) x
   where is_it or is_open
   order by is_it desc
   limit 1`;

/** By the message that it answers, then by our token. */
export async function findOpening(own: Own, secrets: Secrets, answered: Answered): Promise<Match> {
  const { channelId, conversationId, contextId, token } = answered;
  const messageId = token === undefined ? undefined : messageIdIn(secrets, own.organizationId, token);
  const [found] = await own.sql<Opening & { rule: number }>(named, [channelId, contextId, messageId ?? null]);
  if (found) return { opening: found, isOpen: false, rule: found.rule === 1 ? 'message' : 'token' };
  const later = contextId === null ? unmatched : await findLater(own, conversationId, contextId);
  return { ...later, isTokenOurs: messageId !== undefined };
}

async function findLater(own: Own, conversationId: string, contextId: string): Promise<Match> {
  const [other] = await own.sql<Opening & { is_it: boolean }>(others, [conversationId, contextId]);
  if (!other) return unmatched;
  return other.is_it ? { opening: other, isOpen: false, rule: 'later' } : { isOpen: true, rule: 'none' };
}

/** SQL: a part of the ledger's statement: applying an answer takes no more round trips for it. `from`: the message, or the set of the part that stores it. */
const responseFrom =
  (from: 'messages' | 'new_message'): PartText =>
  (organization, id, messageId, flowId, sentId, response, answers, isMalformed, token) =>
    `
  response as (
    insert into flow_responses (
      id, organization_id, flow_id, message_id, sent_message_id, contact_id, conversation_id, channel_id, response, answers,
      is_malformed, client_token, received_at)
    select ${id}, ${organization}, k.id, m.id, ${sentId}, m.contact_id, m.conversation_id, m.channel_id, ${response}, ${answers},
           ${isMalformed}, ${token}, m.created_at
      from ${from} m
      left join flows k on k.organization_id = ${organization} and k.id = ${flowId}
     where ${from === 'messages' ? `m.organization_id = ${organization} and ` : ''}m.id = ${messageId}),
  responded as (
    update flow_sends
       set responded_at = clock_timestamp()
     where organization_id = ${organization} and message_id = ${sentId} and responded_at is null)`;

const responseParts = { messages: responseFrom('messages'), new_message: responseFrom('new_message') };

type Placed = { messageId: string; conversationId: string; contactId: string; channelId: string };
type Matched = Pick<Match, 'opening' | 'isTokenOurs'> & Partial<Pick<Match, 'isOpen'>> & { isHeard?: boolean };

/** The message is stored already. */
export const storeResponse = (tx: OwnTx, placed: Placed, answer: Answer, matched: Matched): void =>
  storeResponseOf('messages', tx, placed, answer, matched);

/**
 * Needs the conversation's lock. The event waits for the message that is answered where that may still come (`isOpen`). `from`: as `new_message` the message
 * is stored by a part of the same statement. `isHeard`: false where a look found nobody who listens.
 */
export function storeResponseOf(
  from: keyof typeof responseParts,
  tx: OwnTx,
  placed: Placed,
  answer: Answer,
  { opening, isOpen, isTokenOurs, isHeard }: Matched,
): void {
  const id = uuidv7();
  const response = responseOf(answer, { opening, isTokenOurs });
  const answers = answer.data ? shownAnswers(answer.data, opening?.labels ?? null) : [];
  tx.include({
    text: responseParts[from],
    params: [
      ...[tx.organizationId, id, placed.messageId, opening?.flow_id ?? null, opening?.message_id ?? null],
      ...[JSON.stringify(response), JSON.stringify(answers), answer.data === undefined, opening?.client_token ?? null],
    ],
  });
  if (!isOpen) emitReceived(tx, { ...placed, id, response, opening }, isHeard);
}

type Received = Placed & { id: string; response: unknown; opening?: Pick<Opening, 'flow_id' | 'client_token'> };

export function emitReceived(
  tx: OwnTx,
  { id, messageId, conversationId, contactId, channelId, response, opening }: Received,
  isHeard = true,
): void {
  const data = {
    response_id: id,
    flow_id: opening?.flow_id ?? null,
    message_id: messageId,
    conversation_id: conversationId,
    contact_id: contactId,
    channel_id: channelId,
    organization_id: tx.organizationId,
    client_token: opening?.client_token ?? null,
    response,
  };
  tx.emit(flowResponseReceived, data, { isHeard });
}

/** In place of the token on the wire, which is ours, stands the client's, where it is known. */
function responseOf({ data, text, token }: Answer, { opening, isTokenOurs }: Pick<Match, 'opening' | 'isTokenOurs'>): unknown {
  if (!data) return text;
  if (token === undefined || !(opening || isTokenOurs)) return data;
  const { flow_token: _ours, ...rest } = data;
  const theirs = opening?.client_token ?? null;
  return theirs === null ? rest : { ...rest, flow_token: theirs };
}

type Waiting = Placed & { id: string; contextId: string; response: unknown; ageMs: number };

/** SQL: of two tables. The response to a message, and what it waits for; undefined: it was deleted. */
export async function waitingResponse(own: Own, messageId: string): Promise<Waiting | undefined> {
  const [row] = await own.sql<Waiting>(
    `select r.id, r.message_id as "messageId", r.conversation_id as "conversationId", r.contact_id as "contactId",
            r.channel_id as "channelId", r.response, m.context_id as "contextId",
            (extract(epoch from clock_timestamp() - r.received_at) * 1000)::float8 as "ageMs"
       from flow_responses r
       join messages m on m.organization_id = r.organization_id and m.id = r.message_id
      where r.organization_id = $1
        and r.message_id = $2
        and m.context_id is not null`,
    [messageId],
  );
  return row;
}

export const findOpeningOf = (own: Own, { conversationId, contextId }: Waiting) => findLater(own, conversationId, contextId);

/** Tells of a response that waited, with the message it answers or without. Needs the conversation's lock. */
export async function settleResponse(tx: OwnTx, waiting: Waiting, opening: Opening | undefined): Promise<void> {
  if (opening) {
    const { response } = waiting;
    const data = response !== null && typeof response === 'object' ? (response as Record<string, unknown>) : undefined;
    const answers = data ? shownAnswers(data, opening.labels) : [];
    // SQL: both tables in one statement.
    await tx.sql(
      `with responded as (
         update flow_sends
            set responded_at = clock_timestamp()
          where organization_id = $1
            and message_id = $3
            and responded_at is null)
       update flow_responses
          set sent_message_id = $3,
              flow_id = (select k.id from flows k where k.organization_id = $1 and k.id = $4),
              client_token = $5,
              answers = $6
        where organization_id = $1
          and id = $2`,
      [waiting.id, opening.message_id, opening.flow_id, opening.client_token, JSON.stringify(answers)],
    );
  }
  emitReceived(tx, { ...waiting, opening });
}
