import { defineEntity, p } from '@mikro-orm/core';
import { nowDate } from '../platform/time/clock.ts';

export type ChannelStatus = 'connected' | 'disconnected' | 'auth_error' | 'restricted';

/** One number at a messaging provider. Tokens and secrets are sealed. */
export const Channel = defineEntity({
  name: 'Channel',
  tableName: 'channels',
  properties: {
    id: p.uuid().primary(),
    organizationId: p.uuid(),
    provider: p.string(),
    name: p.string(),
    phoneNumberId: p.string(),
    accountId: p.string(),
    displayPhone: p.string(),
    status: p.string().$type<ChannelStatus>(),
    accessToken: p.string(),
    appSecret: p.string().nullable(),
    verifyToken: p.string().nullable(),
    rate: p.integer(),
    createdAt: p.datetime().onCreate(nowDate),
    updatedAt: p.datetime().onCreate(nowDate),
  },
});
