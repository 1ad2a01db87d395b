import { defineEntity, p } from '@mikro-orm/core';
import { computed, created, tenant, timestamp, timestampNow } from '../platform/database/columns.ts';

/** Never written, so not required of a new row. */
const generatedTime = (expression: string) => timestamp().generated(expression) as unknown as ReturnType<typeof timestampNow>;
const generatedId = (expression: string) =>
  p.uuid().generated(expression) as unknown as ReturnType<ReturnType<typeof p.uuid>['defaultRaw']>;

export const CrmRecord = defineEntity({
  name: 'CrmRecord',
  tableName: 'records',
  properties: {
    ...tenant(),
    type_id: p.uuid(),
    display_name: p.text().default(''),
    /** Values of the type's fields, by their names. */
    fields: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    /** What the type does not declare. */
    custom_fields: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    metadata: p.json<Record<string, unknown>>().defaultRaw(`'{}'`),
    search_text: p.text().default(''),
    search: computed(`(' ' || searchable(display_name || E'\\n' || search_text)) stored`),
    revision: p.integer().default(1),
    deleted_at: timestamp().strictNullable(),
    /** The time in the id. */
    created_at: generatedTime('(uuid_extract_timestamp(id)) stored'),
    updated_at: timestampNow(),
  },
});

export const RecordEnrichment = defineEntity({
  name: 'RecordEnrichment',
  tableName: 'record_enrichments',
  properties: {
    organization_id: p.uuid().primary(),
    record_id: p.uuid().primary(),
    source: p.text().primary(),
    fields: p.array<string>(),
    at: timestampNow(),
  },
});

export const RecordLink = defineEntity({
  name: 'RecordLink',
  tableName: 'record_links',
  properties: {
    ...tenant(),
    relation_id: p.uuid(),
    record_id: p.uuid(),
    /** One of these five is set. */
    contact_id: p.uuid().strictNullable(),
    conversation_id: p.uuid().strictNullable(),
    deal_id: p.uuid().strictNullable(),
    task_id: p.uuid().strictNullable(),
    to_record_id: p.uuid().strictNullable(),
    object_id: generatedId('(coalesce(contact_id, conversation_id, deal_id, task_id, to_record_id)) stored'),
    /** The record has one object at most. */
    is_single_from: p.boolean(),
    /** The object has one record at most. */
    is_single_to: p.boolean(),
    ...created(),
  },
});
