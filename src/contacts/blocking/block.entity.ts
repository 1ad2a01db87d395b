import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times, timestamp } from '../../platform/database/columns.ts';

export const blockStatuses = ['pending', 'blocked', 'unblocking', 'unblocked', 'failed'] as const;
export type BlockStatus = (typeof blockStatuses)[number];
export type BlockFailure = { code: string; message: string };

/** The block of an address on a channel: a phone (digits), or the provider's user id where there is no phone. */
export const ContactBlock = defineEntity({
  name: 'ContactBlock',
  tableName: 'contact_blocks',
  properties: {
    ...tenant(),
    channel_id: p.uuid(),
    contact_id: p.uuid(),
    address: p.text(),
    phone: p.text().default(''),
    user_id: p.text().default(''),
    status: p.enum(blockStatuses),
    /** The last request; null: none yet. */
    change_id: p.uuid().strictNullable(),
    failure: p.json<BlockFailure>().strictNullable(),
    blocked_at: timestamp().strictNullable(),
    ...times(),
  },
});
