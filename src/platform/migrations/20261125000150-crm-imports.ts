import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, organization, tenant, times } from './columns.ts';

const tables = ['crm_imports', 'crm_import_chunks', 'crm_import_errors'];

/** Imports of deals and of records, with their files in pieces. */
export class CrmImports extends Migration {
  override name = '20261125000150-crm-imports';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const table of tables.toReversed()) this.addSql(`drop table ${table}`);
  }
}

const ofImport =
  'import_id uuid not null, foreign key (organization_id, import_id) references crm_imports (organization_id, id) on delete cascade';

const up = [
  // object_kind, request: what the file is of, and how it is read; null until the file is whole.
  `create table crm_imports (
     ${tenant},
     state text not null check (state in ('uploading', 'queued', 'running', 'succeeded', 'failed', 'cancelled')),
     object_kind text,
     request jsonb,
     actor text not null,
     bytes bigint not null default 0,
     checksum bytea,
     rows_done int not null default 0,
     created_count int not null default 0,
     updated_count int not null default 0,
     unchanged_count int not null default 0,
     failed_count int not null default 0,
     failure jsonb,
     ${times},
     finished_at timestamptz)`,
  'create index crm_imports_list on crm_imports (organization_id, created_at, id)',
  `create index crm_imports_open on crm_imports (created_at) where state in ('uploading', 'queued', 'running')`,
  `create index crm_imports_ended on crm_imports (finished_at) where state in ('succeeded', 'failed', 'cancelled')`,
  // The file as it came, in pieces; gone when the import has ended.
  `create table crm_import_chunks (
     ${organization},
     ${ofImport},
     number int not null,
     bytes bytea not null,
     primary key (organization_id, import_id, number))`,
  'alter table crm_import_chunks alter column bytes set storage external',
  `create table crm_import_errors (
     ${tenant},
     ${ofImport},
     line int not null,
     column_name text not null,
     code text not null,
     message text not null,
     ${created})`,
  'create index crm_import_errors_list on crm_import_errors (organization_id, import_id, line, id)',

  ...manyRowsEach(...tables),
];
