import { throwContactMissing } from '../contacts/contact-missing.ts';
import { hashOf, identityTaken, oldestOwner, ownerParams, type Person } from '../contacts/identities/resolve.ts';
import {
  type Permission,
  permissionColumns,
  refusalOf,
  refused,
  rememberedSuppression,
} from '../contacts/permission/permission.ts';
import { contactNotFound, inBody } from '../contacts/queries.ts';
import type { Em } from '../platform/database/database.ts';
import { ownRows } from '../platform/database/own.ts';
import { query } from '../platform/database/query.ts';
import { AppError, invalidField, notFound } from '../platform/errors.ts';
import { conversationUpdated } from '../platform/events/catalogue.ts';
import { uuidv7 } from '../platform/ids.ts';
import { conversationLane, LocksOutdated } from '../platform/ledger/locks.ts';
import { channelPool } from '../platform/ledger/pools.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { Tx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import { type ConversationRef, conversationTaken, previewOf, resolveConversation, windowHours } from './conversations.ts';
import { sendMessageJob } from './jobs.ts';
import { type MessageRow, messageColumns } from './queries.ts';

export type SendRequest = {
  channelId: string;
  recipient: { phone: string } | { userId: string } | { contactId: string };
  type: 'text' | 'template';
  content: Record<string, unknown>;
  contextMessageId?: string;
};

type Target = Permission & {
  channel_status: string;
  template_status: string | null;
  context_id: string | null;
  contact_id: string | null;
  conversation_id: string | null;
  is_open: boolean;
  phone: string | null;
  user_id: string | null;
  remembered: string | null;
};
export type Prepared = {
  organizationId: string;
  channelId: string;
  conversation: ConversationRef;
  toPhone: string;
  toUserId: string;
  contextId: string | null;
  request: SendRequest;
};

/**
 * Everything that must hold before a message is accepted: channel, recipient, permission, window, template, context. Makes contact and
 * conversation where a template may open one; a refusal leaves nothing behind. Throws AppError.
 */
export async function prepareMessage(
  em: Em,
  transact: Transact,
  secrets: Secrets,
  organizationId: string,
  request: SendRequest,
): Promise<Prepared> {
  const person = personOf(request.recipient);
  const target = await findTarget(em, organizationId, request, person, hashOf(secrets, organizationId, person));
  if (target.channel_status !== 'connected')
    throw new AppError('conflict', `The channel cannot send: it is ${target.channel_status}`);
  const contactId = target.contact_id ?? undefined;
  if ('contactId' in request.recipient && !contactId)
    throw await contactNotFound(ownRows(em, organizationId), request.recipient.contactId, inBody);
  if (request.type === 'template') checkTemplate(target.template_status);
  const refusal = refusalOf({ ...target, suppression: target.suppression ?? target.remembered });
  if (refusal) throw refused(refusal);
  if (request.type !== 'template' && !target.is_open)
    throw new AppError('window_closed', `The contact has not written within ${windowHours} hours: send a template`);
  const toPhone = person.phone ?? target.phone ?? '';
  const toUserId = person.userId ?? target.user_id ?? '';
  if (!toPhone && !toUserId) throw invalidField('contact_id', 'The contact has no address on this channel');
  if (request.contextMessageId && !target.context_id)
    throw invalidField('context.message_id', 'No message of this channel that the provider knows has this id');
  const conversation =
    target.conversation_id && contactId
      ? { id: target.conversation_id, contactId }
      : await transact({ retryOn: [identityTaken, conversationTaken] }, (tx) =>
          resolveConversation(tx, secrets, { id: request.channelId, organizationId }, contactId ? { contactId } : person),
        ).catch(throwContactMissing);
  return {
    organizationId,
    channelId: request.channelId,
    conversation,
    toPhone: toPhone.replace(/\D/g, ''),
    toUserId: toPhone ? '' : toUserId,
    contextId: target.context_id,
    request,
  };
}

/** The lock `acceptMessage` needs. */
export const acceptLocks = ({ conversation }: Prepared) => [conversationLane(conversation.id)];

/** Message, job and event in the caller's transaction. The provider is the worker's. Throws LocksOutdated when the conversation became part of another. */
export async function acceptMessage(tx: Tx, prepared: Prepared): Promise<MessageRow> {
  const { organizationId, channelId, conversation, request } = prepared;
  const id = uuidv7();
  const [row] = await tx.query<MessageRow & { conversation_status: string }>(
    `with c as (
       update conversations set status = case when status = 'resolved' then 'open' else status end, preview = $8, last_message_at = clock_timestamp(), updated_at = clock_timestamp()
        where id = $4 and organization_id = $2 and contact_id is not null returning status, contact_id),
     m as (
       insert into messages (id, organization_id, channel_id, conversation_id, contact_id, direction, type, status, to_phone, to_user_id, content, context_id)
       select $1, $2, $3, $4, c.contact_id, 'outbound', $5, 'queued', $6, $7, $9, $10 from c returning *)
     select ${messageColumns}, c.status as conversation_status from m, c`,
    [
      id,
      organizationId,
      channelId,
      conversation.id,
      request.type,
      prepared.toPhone,
      prepared.toUserId,
      previewOf(request.type, request.content),
      JSON.stringify(request.content),
      prepared.contextId,
    ],
  );
  if (!row) throw new LocksOutdated();
  tx.enqueue(
    sendMessageJob,
    organizationId,
    { message_id: id },
    { lane: conversationLane(conversation.id), pool: channelPool(channelId) },
  );
  tx.emit(conversationUpdated, { conversation_id: conversation.id, status: row.conversation_status }, { organizationId });
  return row;
}

function personOf(recipient: SendRequest['recipient']): Person {
  if ('phone' in recipient) return { phone: recipient.phone };
  return 'userId' in recipient ? { userId: recipient.userId } : {};
}

/** Of several addresses of a contact the one he wrote from last, then the one in his column, then the newest: an old one may be another's by now. */
const addressOf = (types: string, ...better: string[]) => `
  (select i.value from contact_identities i where i.organization_id = k.organization_id and i.contact_id = k.id and i.type in (${types})
    order by ${better.map((text) => `ltrim(i.value, '+') = ltrim(${text}, '+') desc`).join(', ')}, i.type, i.created_at desc, i.id desc limit 1)`;

/** The parameters of the recipient's addresses. */
const addresses =
  '($7::text, $8::text), ($9::text, $10::text), ($11::text, $12::text), ($13::text, $14::text), ($15::text, $16::text)';

/** Channel, person, permission, conversation, template and context in one look. Throws when the channel is nobody's. */
async function findTarget(
  em: Em,
  organizationId: string,
  request: SendRequest,
  person: Person,
  hash: Buffer | null,
): Promise<Target> {
  const { channelId, recipient, contextMessageId, content } = request;
  const isTemplate = request.type === 'template';
  const [row] = await query<Target>(
    em,
    `select c.status as channel_status, k.id as contact_id, v.id as conversation_id, t.status as template_status, t.category, x.provider_message_id as context_id,
            coalesce(v.last_inbound_at > clock_timestamp() - interval '${windowHours} hours', false) as is_open,
            ${addressOf(`'messaging_app', 'phone'`, 'v.profile_phone', 'k.phone_number')} as phone,
            ${addressOf(`'messaging_app_id'`, 'v.profile_user_id')} as user_id,
            ${permissionColumns({ organization: 'c.organization_id', contact: 'k.id', channel: 'c.id' })},
            case when k.id is null then ${rememberedSuppression('c.organization_id', '$17::bytea')} end as remembered
       from channels c
       left join contacts k on k.organization_id = c.organization_id and k.id = coalesce($3::uuid, (${oldestOwner({ organization: '$1', addresses })}))
       left join conversations v on v.channel_id = c.id and v.contact_id = k.id
       left join templates t on t.organization_id = c.organization_id and t.channel_id = c.id and t.name = $4 and t.language = $5
       left join messages x on x.organization_id = c.organization_id and x.channel_id = c.id and x.id = $6::uuid
      where c.organization_id = $1 and c.id = $2`,
    [
      organizationId,
      channelId,
      'contactId' in recipient ? recipient.contactId : null,
      isTemplate ? content.name : null,
      isTemplate ? content.language : null,
      contextMessageId ?? null,
      ...ownerParams(person),
      hash,
    ],
  );
  if (!row) throw notFound('Channel');
  return row;
}

function checkTemplate(status: string | null) {
  if (!status) throw new AppError('template_unknown', 'The channel has no such template in this language');
  if (status !== 'approved') throw new AppError('template_unknown', `The template cannot be sent: it is ${status}`);
}
