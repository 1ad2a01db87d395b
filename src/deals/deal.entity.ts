import { defineEntity, p } from '@mikro-orm/core';
import { computed, created, tenant, times, timestamp } from '../platform/database/columns.ts';
import { stageKinds } from './pipelines/pipeline.entity.ts';

/** A deal in a stage has the stage's kind. */
export const dealStatuses = stageKinds;
export type DealStatus = (typeof dealStatuses)[number];

/** A number as text: a JavaScript number would lose digits. */
const numeric = () => p.decimal('string').columnType('numeric');

export const Deal = defineEntity({
  name: 'Deal',
  tableName: 'deals',
  properties: {
    ...tenant(),
    title: p.text(),
    status: p.enum(dealStatuses),
    /** In minor units of `currency_code`. */
    amount_minor: p.bigint('string').defaultRaw('0'),
    currency_code: p.text(),
    home_currency_at_write: p.text(),
    /** In units of the home currency; null: there was no rate. */
    amount_in_home_currency: numeric().strictNullable(),
    expected_close_at: timestamp().strictNullable(),
    /** A member's user id. */
    owner_user_id: p.uuid().strictNullable(),
    source_conversation_id: p.uuid().strictNullable(),
    pipeline_id: p.uuid().strictNullable(),
    stage_id: p.uuid().strictNullable(),
    stage_entered_at: timestamp().strictNullable(),
    /** Its place in the stage, between those of its neighbours. */
    position: numeric().defaultRaw(`nextval('deals_position_seq')`),
    closed_at: timestamp().strictNullable(),
    lost_reason: p.text().default(''),
    custom_fields: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    metadata: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    revision: p.integer().default(1),
    search: computed(`(' ' || searchable(title)) stored`),
    /** In the bin since then. */
    deleted_at: timestamp().strictNullable(),
    ...times(),
  },
});

export const DealContact = defineEntity({
  name: 'DealContact',
  tableName: 'deal_contacts',
  properties: {
    organization_id: p.uuid().primary(),
    deal_id: p.uuid().primary(),
    contact_id: p.uuid().primary(),
    role: p.text().default(''),
    is_primary: p.boolean().default(false),
    ...created(),
  },
});

export const DealConversation = defineEntity({
  name: 'DealConversation',
  tableName: 'deal_conversations',
  properties: {
    organization_id: p.uuid().primary(),
    conversation_id: p.uuid().primary(),
    deal_id: p.uuid().primary(),
    ...created(),
  },
});
