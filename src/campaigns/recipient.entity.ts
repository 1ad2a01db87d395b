import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant, timestamp } from '../platform/database/columns.ts';
import { recipientStatuses } from './states.ts';

/** One person of a campaign. It follows its message's status, which only rises. */
export const CampaignRecipient = defineEntity({
  name: 'CampaignRecipient',
  tableName: 'campaign_recipients',
  properties: {
    ...tenant(),
    campaign_id: p.uuid(),
    /** null: the contact was erased. */
    contact_id: p.uuid().strictNullable(),
    channel_id: p.uuid(),
    variant_id: p.text().defaultRaw(`''`),
    status: p.enum(recipientStatuses).defaultRaw(`'pending'`),
    /** Why it was skipped (`skipReasons`). */
    reason: p.text().defaultRaw(`''`),
    /** Of the message that failed: the provider's code, else ours. */
    failure_code: p.text().defaultRaw(`''`),
    zone: p.text().defaultRaw(`'UTC'`),
    /** Not before; quiet hours come on top. */
    due_at: timestamp().returning().defaultRaw('clock_timestamp()'),
    /** The columns `param.<name>` of a file. */
    parameters: p.json<Record<string, string>>().defaultRaw(`'{}'`),
    message_id: p.uuid().strictNullable(),
    attempts: p.integer().default(0),
    /** The second row of two contacts that became one. */
    is_extra: p.boolean().defaultRaw('false'),
    queued_at: timestamp().strictNullable(),
    sent_at: timestamp().strictNullable(),
    delivered_at: timestamp().strictNullable(),
    read_at: timestamp().strictNullable(),
    failed_at: timestamp().strictNullable(),
    /** When it was first sent or failed. */
    result_at: timestamp().strictNullable(),
    replied_at: timestamp().strictNullable(),
    clicked_at: timestamp().strictNullable(),
    opted_out_at: timestamp().strictNullable(),
    ...created(),
  },
});
