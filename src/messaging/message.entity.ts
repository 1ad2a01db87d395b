import { defineEntity, p } from '@mikro-orm/core';
import { nowDate } from '../platform/time/clock.ts';

export type MessageStatus = 'queued' | 'sending' | 'sent' | 'delivered' | 'read' | 'failed' | 'received';
export type Direction = 'inbound' | 'outbound';
export type Failure = { code: string; provider_code: string | null; message: string };

export const Message = defineEntity({
  name: 'Message',
  tableName: 'messages',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    channelId: p.uuid(),
    conversationId: p.uuid(),
    /** None: the person was forgotten. */
    contactId: p.uuid().nullable(),
    direction: p.string().$type<Direction>(),
    type: p.string(),
    status: p.string().$type<MessageStatus>(),
    toPhone: p.string().default(''),
    toUserId: p.string().default(''),
    fromPhone: p.string().default(''),
    content: p.json().$type<Record<string, unknown>>(),
    contextId: p.string().nullable(),
    providerMessageId: p.string().nullable(),
    providerAt: p.datetime().nullable(),
    failure: p.json().$type<Failure>().nullable(),
    sendingAt: p.datetime().nullable(),
    resends: p.integer().default(0),
    createdAt: p.datetime().onCreate(nowDate),
    updatedAt: p.datetime().onCreate(nowDate),
  },
});
