import { defineEntity, p } from '@mikro-orm/core';
import { nowDate } from '../platform/time/clock.ts';

export type ConversationStatus = 'open' | 'pending' | 'snoozed' | 'resolved';

/** Everything said between one channel and one contact. */
export const Conversation = defineEntity({
  name: 'Conversation',
  tableName: 'conversations',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    channelId: p.uuid(),
    /** None: the person was forgotten. */
    contactId: p.uuid().nullable(),
    status: p.string().$type<ConversationStatus>(),
    lastInboundAt: p.datetime().nullable(),
    lastMessageAt: p.datetime().nullable(),
    preview: p.string().default(''),
    createdAt: p.datetime().onCreate(nowDate),
    updatedAt: p.datetime().onCreate(nowDate),
  },
});
