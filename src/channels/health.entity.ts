import { defineEntity, p } from '@mikro-orm/core';
import { times, timestamp, timestampNow } from '../platform/database/columns.ts';

export const tokenStates = ['unknown', 'valid', 'invalid'] as const;
export const qualities = ['unknown', 'green', 'yellow', 'red'] as const;
export type Quality = (typeof qualities)[number];

/** What the provider says of a channel, by its webhooks and at checks. Only of channels that are not deleted. */
export const ChannelHealth = defineEntity({
  name: 'ChannelHealth',
  tableName: 'channel_health',
  properties: {
    organization_id: p.uuid().primary(),
    channel_id: p.uuid().primary(),
    token_state: p.enum(tokenStates).defaultRaw(`'unknown'`),
    quality: p.enum(qualities).defaultRaw(`'unknown'`),
    messaging_limit: p.text().defaultRaw(`''`),
    throughput: p.text().defaultRaw(`''`),
    verified_name: p.text().defaultRaw(`''`),
    name_status: p.text().defaultRaw(`''`),
    account_status: p.text().defaultRaw(`''`),
    /** When the provider told last, by its own clock, that the account is stopped or released. */
    account_told_at: timestamp().strictNullable(),
    is_subscribed: p.boolean().strictNullable(),
    last_inbound_at: timestamp().strictNullable(),
    last_outbound_at: timestamp().strictNullable(),
    problem: p.text().defaultRaw(`''`),
    checked_at: timestamp().strictNullable(),
    next_check_at: timestampNow(),
    ...times(),
  },
});
