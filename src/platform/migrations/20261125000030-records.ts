import { Migration } from '@mikro-orm/migrations';
import { manyRowsEach, organization, tenant, times } from './columns.ts';

const tables = ['object_types', 'object_fields', 'object_relations', 'records', 'record_values', 'record_enrichments'];

/** Types of records that an organization defines, and the records: a field is a row here, never a column. */
export class Records extends Migration {
  override name = '20261125000030-records';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

const up = [
  // version: raised by each change of the type, its fields and relations.
  `create table object_types (
     ${tenant},
     kind text not null check (kind ~ '^[a-z][a-z0-9_]{1,62}$'),
     label text not null,
     plural_label text not null,
     description text not null default '',
     display_field text not null,
     is_standard boolean not null default false,
     version int not null default 1,
     deleted_at timestamptz,
     ${times})`,
  'create unique index object_types_kind on object_types (organization_id, kind) where deleted_at is null',

  // index_state: null, it has no index; building, from its values so far; ready, lists use it. removed_at: its values are being dropped.
  // walked_to: the last record that the job of one of both has done.
  `create table object_fields (
     ${tenant},
     type_id uuid not null,
     name text not null check (name ~ '^[a-z][a-z0-9_]{0,62}$'),
     label text not null,
     type text not null check (type in ('text', 'long_text', 'number', 'integer', 'boolean', 'date', 'datetime', 'select', 'multi_select',
       'email', 'phone', 'url', 'currency', 'user', 'json')),
     is_required boolean not null default false,
     is_unique boolean not null default false,
     is_indexed boolean not null default false,
     is_searchable boolean not null default false,
     default_value jsonb,
     minimum double precision,
     maximum double precision,
     max_length int,
     options jsonb not null default '[]',
     position int not null,
     index_state text check (index_state in ('building', 'ready')),
     removed_at timestamptz,
     walked_to uuid,
     ${times},
     foreign key (organization_id, type_id) references object_types (organization_id, id) on delete cascade)`,
  'create unique index object_fields_name on object_fields (organization_id, type_id, name) where removed_at is null',

  // From a record of type_id to an object of to_kind; to_type_id where that is a type of the organization.
  `create table object_relations (
     ${tenant},
     type_id uuid not null,
     name text not null check (name ~ '^[a-z][a-z0-9_]{0,62}$'),
     inverse_name text not null check (inverse_name ~ '^[a-z][a-z0-9_]{0,62}$'),
     to_kind text not null,
     to_type_id uuid,
     cardinality text not null check (cardinality in ('one_to_one', 'one_to_many', 'many_to_one', 'many_to_many')),
     on_delete text not null default 'unlink' check (on_delete in ('unlink', 'restrict')),
     ${times},
     constraint object_relations_name unique (organization_id, type_id, name),
     foreign key (organization_id, type_id) references object_types (organization_id, id) on delete cascade,
     foreign key (organization_id, to_type_id) references object_types (organization_id, id) on delete cascade)`,
  'create index object_relations_to on object_relations (organization_id, to_kind)',
  'create index object_relations_to_type on object_relations (organization_id, to_type_id) where to_type_id is not null',

  // created_at is the time in the id: newest first is one order with it. fields: declared values; custom_fields: undeclared ones.
  // search_text: the values of the searchable fields, written with them.
  `create table records (
     ${tenant},
     type_id uuid not null,
     display_name text not null default '',
     fields jsonb not null default '{}' check (jsonb_typeof(fields) = 'object'),
     custom_fields jsonb not null default '{}' check (jsonb_typeof(custom_fields) = 'object'),
     metadata jsonb not null default '{}',
     search_text text not null default '',
     search text not null generated always as (' ' || searchable(display_name || E'\\n' || search_text)) stored,
     revision int not null default 1,
     deleted_at timestamptz,
     created_at timestamptz not null generated always as (uuid_extract_timestamp(id)) stored,
     updated_at timestamptz not null default clock_timestamp(),
     foreign key (organization_id, type_id) references object_types (organization_id, id))`,
  'alter table records alter search set statistics 1000',
  'create index records_list on records (organization_id, type_id, id) where deleted_at is null',
  'create index records_updated on records (organization_id, type_id, updated_at, id) where deleted_at is null',
  'create index records_display_name on records (organization_id, type_id, fold(display_name), id) where deleted_at is null',
  'create index records_search on records using gin (organization_id, type_id, search gin_trgm_ops) where deleted_at is null',
  'create index records_fields on records using gin (organization_id, type_id, fields jsonb_path_ops) where deleted_at is null',
  'create index records_custom_fields on records using gin (organization_id, type_id, custom_fields jsonb_path_ops) where deleted_at is null',
  // A change of a field walks over these too.
  'create index records_in_bin on records (organization_id, type_id, id) where deleted_at is not null',
  'create index records_bin on records (deleted_at) where deleted_at is not null',

  // The typed index: a row an indexed value of a live record, so that a record in the bin reserves nothing.
  `create table record_values (
     ${organization},
     field_id uuid not null,
     record_id uuid not null,
     ordinal int not null default 0,
     text_value text,
     number_value numeric,
     time_value timestamptz,
     is_unique boolean not null default false,
     constraint record_values_pkey primary key (organization_id, record_id, field_id, ordinal),
     foreign key (organization_id, record_id) references records (organization_id, id) on delete cascade,
     check (num_nonnulls(text_value, number_value, time_value) = 1))`,
  'create index record_values_text on record_values (organization_id, field_id, text_value, record_id) where text_value is not null',
  'create index record_values_number on record_values (organization_id, field_id, number_value, record_id) where number_value is not null',
  'create index record_values_time on record_values (organization_id, field_id, time_value, record_id) where time_value is not null',
  'create unique index record_values_unique_text on record_values (organization_id, field_id, text_value) where is_unique and text_value is not null',
  'create unique index record_values_unique_number on record_values (organization_id, field_id, number_value) where is_unique and number_value is not null',
  'create unique index record_values_unique_time on record_values (organization_id, field_id, time_value) where is_unique and time_value is not null',

  // A field's own frequent values decide a plan, not those of all fields.
  'create statistics record_values_texts (mcv) on field_id, text_value from record_values',
  'create statistics record_values_numbers (mcv) on field_id, number_value from record_values',
  'create statistics record_values_times (mcv) on field_id, time_value from record_values',

  `create table record_enrichments (
     ${organization},
     record_id uuid not null,
     source text not null,
     fields text[] not null,
     at timestamptz not null default clock_timestamp(),
     constraint record_enrichments_pkey primary key (organization_id, record_id, source),
     foreign key (organization_id, record_id) references records (organization_id, id) on delete cascade)`,

  ...manyRowsEach(...tables),
];

const down = tables.toReversed().map((table) => `drop table ${table}`);
