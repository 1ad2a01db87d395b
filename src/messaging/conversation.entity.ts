import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times, timestamp } from '../platform/database/columns.ts';

export const conversationStatuses = ['open', 'pending', 'snoozed', 'resolved'] as const;
export type ConversationStatus = (typeof conversationStatuses)[number];

export const Conversation = defineEntity({
  name: 'Conversation',
  tableName: 'conversations',
  properties: {
    ...tenant(),
    channel_id: p.uuid(),
    /** null: the contact was erased. */
    contact_id: p.uuid().strictNullable(),
    status: p.enum(conversationStatuses),
    last_inbound_at: timestamp().strictNullable(),
    last_message_at: timestamp().strictNullable(),
    preview: p.text().default(''),
    /** This and the next three: what the provider's webhooks last said about the person. */
    profile_name: p.text().default(''),
    profile_username: p.text().default(''),
    profile_phone: p.text().default(''),
    profile_user_id: p.text().default(''),
    ...times(),
  },
});
