import Joi from 'joi';
import type { ConversationRow } from '../../src/messaging/inbox/conversation-row.ts';
import { conversationPriority, conversationStatus } from '../../src/messaging/inbox/schemas.ts';
import { exampleIds, examplePhone, exampleTime } from '../../src/platform/examples.ts';
import { conversationLane } from '../../src/platform/ledger/locks.ts';
import type { TenantTx } from '../../src/platform/ledger/tx.ts';
import type { Input, Reply } from '../http/endpoint.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'Conversations';
export const aboutConversation = { tag, subject: 'Conversation' };

export const conversationView = view(
  'conversation',
  Joi.object({
    id: id.required(),
    channel_id: id.required(),
    contact_id: id.allow(null).required().description('null: the contact was erased, or it is the conversation of a group'),
    group_id: Joi.string()
      .allow(null)
      .required()
      .description(
        "The provider's id of a group that the number is in; null: the conversation of one contact. Each message of a group has the contact who wrote it. It cannot be answered yet: 409",
      ),
    contact_name: Joi.string()
      .allow('')
      .required()
      .description('The name of the contact, or what the provider told; empty when neither is known'),
    contact_phone_number: Joi.string().allow('').required(),
    status: conversationStatus.required(),
    snoozed_until: timestamp
      .allow(null)
      .required()
      .description('null: it is not snoozed, or was snoozed without a time and sleeps until the person writes'),
    assignee_id: id.allow(null).required().description('The user id of a member; null: nobody'),
    priority: conversationPriority.required(),
    tags: Joi.array().items(Joi.string()).required(),
    custom_fields: Joi.object().unknown().required(),
    unread_count: Joi.number().integer().required().description('Messages of the person since the team last read it'),
    preview: Joi.string().allow('').required().description('The beginning of the last message'),
    last_message_at: timestamp.allow(null).required(),
    last_activity_at: timestamp.required().description('The last message, or the creation while there is none'),
    last_inbound_at: timestamp.allow(null).required(),
    is_window_open: Joi.boolean().required().description('A free-form message may be sent'),
    window_expires_at: timestamp
      .allow(null)
      .required()
      .description('24 hours after the last message of the person; null: none yet'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIds.conversation,
    channel_id: exampleIds.channel,
    contact_id: exampleIds.contact,
    group_id: null,
    contact_name: 'Sheena Nelson',
    contact_phone_number: `+${examplePhone}`,
    status: 'open',
    snoozed_until: null,
    assignee_id: exampleIds.user,
    priority: 'high',
    tags: ['Refund'],
    custom_fields: { order: 'A-1001' },
    unread_count: 2,
    preview: 'Where is my order?',
    last_message_at: exampleTime,
    last_activity_at: exampleTime,
    last_inbound_at: exampleTime,
    is_window_open: true,
    window_expires_at: '2026-11-22T10:00:00.000Z',
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const isoOrNull = (time: string | null) => time && iso(time);

export const toConversationView = (row: ConversationRow) => ({
  id: row.id,
  channel_id: row.channel_id,
  contact_id: row.contact_id,
  group_id: row.group_id || null,
  contact_name: row.contact_name,
  contact_phone_number: row.contact_phone_number,
  status: row.status,
  snoozed_until: isoOrNull(row.snoozed_until),
  assignee_id: row.assignee_id,
  priority: row.priority,
  tags: row.tags,
  custom_fields: row.custom_fields,
  unread_count: row.unread_count,
  preview: row.preview,
  last_message_at: isoOrNull(row.last_message_at),
  last_activity_at: iso(row.last_activity_at),
  last_inbound_at: isoOrNull(row.last_inbound_at),
  is_window_open: row.is_window_open,
  window_expires_at: isoOrNull(row.window_expires_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

/** One write to a conversation, in turn with its messages. */
export const changeConversation = (
  write: Input<unknown, unknown>['write'],
  conversationId: string,
  work: (tx: TenantTx) => Promise<Reply>,
): Promise<Reply> => write({ locks: [conversationLane(conversationId)] }, work);
