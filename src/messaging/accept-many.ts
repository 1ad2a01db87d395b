import type { FlowSend } from '../flows/sends.ts';
import { conversationCreated, conversationUpdated } from '../platform/events/catalogue.ts';
import { conversationLane } from '../platform/ledger/locks.ts';
import type { PartText } from '../platform/ledger/part.ts';
import { channelPool } from '../platform/ledger/pools.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import type { ConversationStatus } from './conversation.entity.ts';
import { previewOf } from './conversations.ts';
import { sendMessageJob } from './jobs.ts';

/** A message of a campaign to one of its recipients. `was`: the status of its conversation when it was looked at; null: it begins with this message. */
export type ManyMessage = {
  id: string;
  channelId: string;
  recipientId: string;
  conversationId: string;
  contactId: string;
  was: ConversationStatus | null;
  type: string;
  content: Record<string, unknown>;
  toPhone: string;
  toUserId: string;
  /** Of one that opens a flow. */
  flowSend?: FlowSend;
};
export type Common = { campaignId: string; isHeard: boolean };

/** SQL: `acceptPart` of send.ts for a set. Contacts are held in the order of their ids, as a merge does. */
const manyPart =
  ({ begins, opens }: { begins: boolean; opens: boolean }): PartText =>
  (organization, campaignId, messages, conversationIds) =>
    `
  given as materialized (
    select *
      from jsonb_to_recordset(${messages}::jsonb)
        as x(id uuid, channel_id uuid, recipient_id uuid, conversation_id uuid, contact_id uuid, was text, status text, preview text, type text,
             content jsonb, to_phone text, to_user_id text, opens boolean, flow_id uuid, flow_version int, client_token text)),
  touched as (
    update conversations v
       set status = x.status, preview = x.preview, awaited_recipient_id = x.recipient_id,
           last_message_at = clock_timestamp(), updated_at = clock_timestamp()
      from given x
     where v.organization_id = ${organization} and v.id = any(${conversationIds}::uuid[]) and v.id = x.conversation_id
       and v.contact_id = x.contact_id and v.status = x.was
    returning v.id),
  ${begins ? begunPart(organization!) : ''}
  made as (
    insert into messages (
      id, organization_id, channel_id, conversation_id, contact_id, direction, type, status,
      to_phone, to_user_id, content, campaign_id)
    select x.id, ${organization}, x.channel_id, x.conversation_id, x.contact_id, 'outbound', x.type, 'queued',
           x.to_phone, x.to_user_id, x.content, ${campaignId}
      from given x
     where x.conversation_id in (select id from touched ${begins ? 'union all select id from begun' : ''})
     order by x.contact_id
    returning id)${opens ? openedPart(organization!) : ''}`;

/** Nothing for a contact that was merged or erased. */
const begunPart = (organization: string) => `
  begun as (
    insert into conversations (id, organization_id, channel_id, contact_id, status, preview, awaited_recipient_id, last_message_at)
    select x.conversation_id, ${organization}, x.channel_id, k.id, x.status, x.preview, x.recipient_id, clock_timestamp()
      from given x
      join contacts k on k.organization_id = ${organization} and k.id = x.contact_id
     where x.was is null
     order by k.id
       for key share of k
    returning id),`;

const openedPart = (organization: string) => `,
  opened as (
    insert into flow_sends (organization_id, message_id, flow_id, version, client_token)
    select ${organization}, x.id, v.flow_id, v.number, x.client_token
      from given x
      join made on made.id = x.id
      left join flow_versions v
        on v.organization_id = ${organization} and v.flow_id = x.flow_id and v.number = x.flow_version
     where x.opens)`;

const parts = new Map(
  [false, true].flatMap((begins) => [false, true].map((opens) => [`${begins} ${opens}`, manyPart({ begins, opens })] as const)),
);

/** Each conversation was as it was looked at, and each contact is there. */
const allMade: PartText = () => '(select count(*) from made) = (select count(*) from given)';

/**
 * Messages, each of another conversation, with their jobs and events, in the ledger's own statement. Needs the lanes of the
 * conversations, of those too that begin. LocksOutdated where a conversation changed since it was looked at; a conversation that
 * somebody else began is a violation of `conversationTaken`.
 */
export function acceptMany(tx: OwnTx, messages: ManyMessage[], { campaignId, isHeard }: Common): void {
  if (messages.length === 0) return;
  const rows = messages.map(
    ({ id, channelId, recipientId, conversationId, contactId, was, type, content, toPhone, toUserId, flowSend }) => ({
      ...{
        id,
        channel_id: channelId,
        recipient_id: recipientId,
        conversation_id: conversationId,
        contact_id: contactId,
        was,
        status: statusAfter(was),
      },
      ...{ preview: previewOf(type, content), type, content, to_phone: toPhone, to_user_id: toUserId },
      ...{ opens: flowSend !== undefined, flow_id: flowSend?.flowId, flow_version: flowSend?.version },
      client_token: flowSend?.clientToken,
    }),
  );
  const begins = messages.some(({ was }) => was === null);
  const opens = messages.some(({ flowSend }) => flowSend);
  const ids = messages.map(({ conversationId }) => conversationId);
  tx.include({
    text: parts.get(`${begins} ${opens}`)!,
    params: [tx.organizationId, campaignId, JSON.stringify(rows), ids],
    assertion: allMade,
  });
  const cause = { by: `campaign:${campaignId}` };
  for (const { id, channelId, conversationId, contactId, was } of messages) {
    const lane = conversationLane(conversationId);
    tx.enqueue(sendMessageJob, { message_id: id }, { lane, pool: channelPool(channelId), class: 'bulk' });
    const status = statusAfter(was);
    if (was === null) {
      const begun = { conversation_id: conversationId, contact_id: contactId, channel_id: channelId, status };
      tx.emit(conversationCreated, begun, { isHeard, cause });
    }
    const changed = was === null || was === status ? ['preview'] : ['status', 'preview'];
    tx.emit(conversationUpdated, { conversation_id: conversationId, status, changed }, { isHeard, cause });
  }
}

const statusAfter = (was: ConversationStatus | null): ConversationStatus => (was === null || was === 'resolved' ? 'open' : was);
