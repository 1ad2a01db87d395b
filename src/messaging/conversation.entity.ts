import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant, times, timestamp } from '../platform/database/columns.ts';

export const conversationStatuses = ['open', 'pending', 'snoozed', 'resolved'] as const;
export type ConversationStatus = (typeof conversationStatuses)[number];

export const priorities = ['none', 'low', 'medium', 'high', 'urgent'] as const;
export type Priority = (typeof priorities)[number];

export const Conversation = defineEntity({
  name: 'Conversation',
  tableName: 'conversations',
  properties: {
    ...tenant(),
    channel_id: p.uuid(),
    /** null: the contact was erased, or it is a group's conversation. */
    contact_id: p.uuid().strictNullable(),
    /** The provider's id of a group; empty for the conversation of one contact. */
    group_id: p.text().default(''),
    status: p.enum(conversationStatuses),
    /** Only while it is snoozed, and then a job waits to wake it. null: it sleeps until the person writes. */
    snoozed_until: timestamp().strictNullable(),
    /** A member's user id. */
    assignee_id: p.uuid().strictNullable(),
    priority: p.enum(priorities).default('none'),
    /** Messages of the person since the team last read the conversation. */
    unread_count: p.integer().default(0),
    custom_fields: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    last_inbound_at: timestamp().strictNullable(),
    last_message_at: timestamp().strictNullable(),
    preview: p.text().default(''),
    /** The last recipient of a campaign whose message went into it, until the person answers. */
    awaited_recipient_id: p.uuid().strictNullable(),
    /** This and the next three: what the provider's webhooks last said about the person. */
    profile_name: p.text().default(''),
    profile_username: p.text().default(''),
    profile_phone: p.text().default(''),
    profile_user_id: p.text().default(''),
    ...times(),
  },
});

export const ConversationTag = defineEntity({
  name: 'ConversationTag',
  tableName: 'conversation_tags',
  properties: {
    organization_id: p.uuid().primary(),
    conversation_id: p.uuid().primary(),
    tag_id: p.uuid().primary(),
    ...created(),
  },
});

export const ConversationNote = defineEntity({
  name: 'ConversationNote',
  tableName: 'conversation_notes',
  properties: { ...tenant(), conversation_id: p.uuid(), body: p.text(), author: p.text(), ...times() },
});
