import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times, timestamp } from '../../platform/database/columns.ts';

export const fieldTypes = [
  'text',
  'long_text',
  'number',
  'integer',
  'boolean',
  'date',
  'datetime',
  'select',
  'multi_select',
  'email',
  'phone',
  'url',
  'currency',
  'user',
  'json',
] as const;
export type FieldType = (typeof fieldTypes)[number];

export const cardinalities = ['one_to_one', 'one_to_many', 'many_to_one', 'many_to_many'] as const;
export type Cardinality = (typeof cardinalities)[number];

export const deleteRules = ['unlink', 'restrict'] as const;
export type DeleteRule = (typeof deleteRules)[number];

export const indexStates = ['building', 'ready'] as const;
export type IndexState = (typeof indexStates)[number];

/** `replaced_by`: it leaves, and an operation gives its records this one; null: none. */
export type Option = { value: string; label: string; replaced_by?: string | null };

export const ObjectType = defineEntity({
  name: 'ObjectType',
  tableName: 'object_types',
  properties: {
    ...tenant(),
    kind: p.text(),
    label: p.text(),
    plural_label: p.text(),
    description: p.text().default(''),
    display_field: p.text(),
    is_standard: p.boolean().default(false),
    /** Raised by each change of the type, its fields and relations. */
    version: p.integer().default(1),
    deleted_at: timestamp().strictNullable(),
    ...times(),
  },
});

export const ObjectField = defineEntity({
  name: 'ObjectField',
  tableName: 'object_fields',
  properties: {
    ...tenant(),
    type_id: p.uuid(),
    name: p.text(),
    label: p.text(),
    type: p.enum(fieldTypes),
    is_required: p.boolean().default(false),
    is_unique: p.boolean().default(false),
    is_indexed: p.boolean().default(false),
    is_searchable: p.boolean().default(false),
    default_value: p.json<unknown>().strictNullable(),
    minimum: p.double().strictNullable(),
    maximum: p.double().strictNullable(),
    max_length: p.integer().strictNullable(),
    options: p.json<Option[]>().defaultRaw(`'[]'`),
    position: p.integer(),
    /** Null: it has no index. Building: from the values so far. Ready: lists use it. */
    index_state: p.enum(indexStates).strictNullable(),
    /** Its values are being dropped. */
    removed_at: timestamp().strictNullable(),
    /** The last record that the job of one of both has done. */
    walked_to: p.uuid().strictNullable(),
    /** The last record that the job has done which takes out options that leave. */
    replaced_to: p.uuid().strictNullable(),
    ...times(),
  },
});

export const ObjectRelation = defineEntity({
  name: 'ObjectRelation',
  tableName: 'object_relations',
  properties: {
    ...tenant(),
    type_id: p.uuid(),
    name: p.text(),
    inverse_name: p.text(),
    to_kind: p.text(),
    /** Of an organization's own type. */
    to_type_id: p.uuid().strictNullable(),
    cardinality: p.enum(cardinalities),
    on_delete: p.enum(deleteRules).default('unlink'),
    ...times(),
  },
});
