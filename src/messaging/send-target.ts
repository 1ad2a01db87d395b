import { phoneAddress, userIdAddress } from '../contacts/identities/messaging-address.ts';
import {
  addressHashes,
  oldestOwner,
  ownerParamCount,
  ownerParams,
  type Person,
  placesFrom,
} from '../contacts/identities/resolve.ts';
import { type Permission, permissionColumns, rememberedSuppression } from '../contacts/permission/permission.ts';
import type { FlowToSend } from '../flows/sends.ts';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import { AppError, notFound } from '../platform/errors.ts';
import { isHeard } from '../platform/events/record.ts';
import type { Secrets } from '../platform/secrets.ts';
import { Conversation, type ConversationStatus } from './conversation.entity.ts';
import { windowHours } from './conversations.ts';
import type { MessageStatus } from './message.entity.ts';
import { flowIdIn, flowNamed, flowOfTemplate } from './opened-flow.ts';

export type SendRequest = {
  channelId: string;
  recipient: { phone: string } | { userId: string } | { contactId: string };
  type: string;
  content: Record<string, unknown>;
  /** The message it answers, or that a reaction is about. */
  contextMessageId?: string;
  /** When it shall go out; undefined: now. */
  sendAt?: string;
};

export type Target = Permission & {
  channel_status: string;
  account_id: string;
  template_status: string | null;
  template_components: unknown[] | null;
  /** The one that the message opens; null: it opens none, or one that is not known. */
  flow: FlowToSend | null;
  context_id: string | null;
  /** null: the conversation has no such message. */
  context_status: MessageStatus | null;
  contact_id: string | null;
  conversation_id: string | null;
  conversation_status: ConversationStatus | null;
  /** The window, when the message shall go out. */
  is_open: boolean;
  is_heard: boolean;
  phone: string | null;
  user_id: string | null;
  /** The suppression of an erased contact with this address. */
  remembered: string | null;
};

const pairOf = statement((select, { id }: { id: string }) =>
  select(Conversation).select(['channel_id', 'contact_id', 'group_id']).where('id', '=', id),
);

/** Where a message into a conversation goes. */
export async function targetOfConversation(own: Own, id: string): Promise<Pick<SendRequest, 'channelId' | 'recipient'>> {
  const [pair] = await pairOf(own, { id });
  if (!pair) throw notFound('Conversation');
  if (pair.group_id) throw new AppError('conflict', 'The conversation of a group cannot be answered yet');
  if (!pair.contact_id) throw new AppError('conflict', 'The contact of this conversation was deleted');
  return { channelId: pair.channel_id, recipient: { contactId: pair.contact_id } };
}

export function personOf(recipient: SendRequest['recipient']): Person {
  if ('phone' in recipient) return { phone: recipient.phone };
  return 'userId' in recipient ? { userId: recipient.userId } : {};
}

const firstAddress = 7;
const [hashesAt, sendAtAt, flowAt] = placesFrom(firstAddress + ownerParamCount, 3);
const permission = permissionColumns({ organization: 'c.organization_id', contact: 'k.id', channel: 'c.id' });

/** SQL: one statement finds channel, person, permission, conversation, template, flow and context of a send (bench: post). */
const targetStatement = (flow: string) => `
  select c.status as channel_status, c.account_id, k.id as contact_id, v.id as conversation_id, v.status as conversation_status,
         t.status as template_status, t.components as template_components, t.category,
         ${flow} as flow,
         x.provider_message_id as context_id, x.status as context_status,
         coalesce(v.last_inbound_at > greatest(clock_timestamp(), ${sendAtAt}::timestamptz) - interval '${windowHours} hours', false) as is_open,
         ${isHeard('$1', 'conversation.updated')} as is_heard,
         ${phoneAddress} as phone,
         ${userIdAddress} as user_id,
         ${permission},
         case when k.id is null then ${rememberedSuppression('c.organization_id', hashesAt!)} end as remembered
    from channels c
    left join contacts k
      on k.organization_id = c.organization_id and k.id = coalesce($3::uuid, (${oldestOwner({ organization: '$1', from: firstAddress })}))
    left join conversations v on v.organization_id = c.organization_id and v.channel_id = c.id and v.contact_id = k.id
    left join templates t
      on t.organization_id = c.organization_id and t.channel_id = c.id and t.name = $4 and t.language = $5
     and t.doing is distinct from 'delete'
    left join messages x
      on x.organization_id = c.organization_id and x.id = $6::uuid and (x.conversation_id = v.id) is true
   where c.organization_id = $1 and c.id = $2 and c.deleted_at is null`;

/** Each of its own: PostgreSQL starts all parts of a statement, and most messages open no flow. */
const targetOf = {
  others: targetStatement('null::jsonb'),
  template: targetStatement(flowOfTemplate({ organization: 'c.organization_id' })),
  flow: targetStatement(flowNamed({ organization: 'c.organization_id', flowId: flowAt! })),
};

export async function findTarget(own: Own, secrets: Secrets, request: SendRequest): Promise<Target> {
  const { channelId, recipient, contextMessageId, content } = request;
  const person = personOf(recipient);
  const isTemplate = request.type === 'template';
  const flowId = flowIdIn(request.type, content);
  const text = flowId ? targetOf.flow : isTemplate ? targetOf.template : targetOf.others;
  const [row] = await own.sql<Target>(text, [
    channelId,
    'contactId' in recipient ? recipient.contactId : null,
    isTemplate ? content.name : null,
    isTemplate ? content.language : null,
    contextMessageId ?? null,
    ...ownerParams(person),
    addressHashes(secrets, own.organizationId, person),
    request.sendAt ?? null,
    ...(flowId ? [flowId] : []),
  ]);
  if (!row) throw notFound('Channel');
  return row;
}
