import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times, timestamp } from '../platform/database/columns.ts';
import type { Cause } from '../platform/events/cause.ts';
import type { Pricing } from '../providers/messaging-app/pricing.ts';

export const messageStatuses = ['queued', 'sending', 'sent', 'delivered', 'read', 'failed', 'received'] as const;
export type MessageStatus = (typeof messageStatuses)[number];
export const directions = ['inbound', 'outbound'] as const;
export type Direction = (typeof directions)[number];
export type Failure = { code: string; provider_code: string | null; message: string };

/** By status, each once; those of an earlier send of the message stand behind its number, as `1:sent`. `at`: the provider's time. */
export type Told = Record<string, { at: string; pricing?: Pricing }>;

export const Message = defineEntity({
  name: 'Message',
  tableName: 'messages',
  properties: {
    ...tenant(),
    channel_id: p.uuid(),
    conversation_id: p.uuid(),
    /** null: the contact was erased. */
    contact_id: p.uuid().strictNullable(),
    direction: p.enum(directions),
    type: p.text(),
    status: p.enum(messageStatuses),
    to_phone: p.text().default(''),
    to_user_id: p.text().default(''),
    from_phone: p.text().default(''),
    content: p.json<Record<string, unknown>>(),
    context_id: p.text().strictNullable(),
    /** The message that `context_id` names, where that was known when this one was stored; read by `shownColumns` (queries.ts). */
    context_message_id: p.uuid().strictNullable(),
    provider_message_id: p.text().strictNullable(),
    /** The provider's ids of earlier attempts. */
    superseded_ids: p.array<string>().default([]),
    provider_at: timestamp().strictNullable(),
    failure: p.json<Failure>().strictNullable(),
    sending_at: timestamp().strictNullable(),
    resends: p.integer().default(0),
    send_at: timestamp().strictNullable(),
    /** Until its time; then a job of its own sends it as any other. */
    is_scheduled: p.boolean().default(false),
    /** The campaign that made it, which may be gone. */
    campaign_id: p.uuid().strictNullable(),
    /** What made it, where its later events shall say so: a run of a rule. */
    origin: p.json<Cause>().strictNullable(),
    told: p.json<Told>().strictNullable(),
    ...times(),
  },
});
