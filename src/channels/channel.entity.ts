import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times, timestamp } from '../platform/database/columns.ts';

export const channelStatuses = ['connected', 'disconnected', 'auth_error', 'restricted'] as const;
export type ChannelStatus = (typeof channelStatuses)[number];

/** One number at a messaging provider. Tokens and secrets are sealed. */
export const Channel = defineEntity({
  name: 'Channel',
  tableName: 'channels',
  properties: {
    ...tenant(),
    provider: p.text(),
    name: p.text(),
    phone_number_id: p.text(),
    account_id: p.text(),
    display_phone: p.text(),
    status: p.enum(channelStatuses),
    access_token: p.text(),
    app_secret: p.text().strictNullable(),
    verify_token: p.text().strictNullable(),
    rate: p.integer(),
    /** Its messages stay, so its row does; its number is free. */
    deleted_at: timestamp().strictNullable(),
    ...times(),
  },
});
