import { Migration } from '@mikro-orm/migrations';
import { created, manyRowsEach, organization, tenant, times } from './columns.ts';

/** Imports and exports of contacts, with their files in pieces. */
export class ContactFiles extends Migration {
  override name = '20261121000040-contact-files';

  override up() {
    for (const statement of statements) this.addSql(statement);
  }

  override down() {
    for (const table of tables.toReversed()) this.addSql(`drop table ${table}`);
  }
}

const tables = ['contact_imports', 'contact_import_chunks', 'contact_import_errors', 'contact_exports', 'contact_export_chunks'];

const ofImport =
  'import_id uuid not null, foreign key (organization_id, import_id) references contact_imports (organization_id, id) on delete cascade';
const ofExport =
  'export_id uuid not null, foreign key (organization_id, export_id) references contact_exports (organization_id, id) on delete cascade';

const statements = [
  `create table contact_imports (
     ${tenant},
     state text not null check (state in ('uploading', 'queued', 'running', 'succeeded', 'failed')),
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
  'create index contact_imports_list on contact_imports (organization_id, created_at, id)',
  `create index contact_imports_open on contact_imports (created_at) where state in ('uploading', 'queued', 'running')`,
  `create index contact_imports_ended on contact_imports (finished_at) where state in ('succeeded', 'failed')`,
  // The file as it came, in pieces; gone when the import has ended.
  `create table contact_import_chunks (
     ${organization},
     ${ofImport},
     number int not null,
     bytes bytea not null,
     primary key (organization_id, import_id, number))`,
  'alter table contact_import_chunks alter column bytes set storage external',
  `create table contact_import_errors (
     ${tenant},
     ${ofImport},
     line int not null,
     column_name text not null,
     code text not null,
     message text not null,
     ${created})`,
  'create index contact_import_errors_list on contact_import_errors (organization_id, import_id, line, id)',

  // `request`: what was asked for; `keys`: its custom fields, a column each; `position`: the sort keys of the last row written. Gone with its end.
  `create table contact_exports (
     ${tenant},
     state text not null check (state in ('queued', 'running', 'succeeded', 'failed')),
     actor text not null,
     request jsonb,
     keys jsonb,
     position jsonb,
     pieces int not null default 0,
     rows_done int not null default 0,
     bytes bigint not null default 0,
     failure jsonb,
     ${times},
     finished_at timestamptz)`,
  'create index contact_exports_list on contact_exports (organization_id, created_at, id)',
  `create index contact_exports_ended on contact_exports (finished_at) where state in ('succeeded', 'failed')`,
  // The file, in pieces of whole rows, and the least and the greatest id of these.
  `create table contact_export_chunks (
     ${organization},
     ${ofExport},
     number int not null,
     bytes bytea not null,
     first_id uuid,
     last_id uuid,
     primary key (organization_id, export_id, number))`,
  'alter table contact_export_chunks alter column bytes set storage external',

  ...manyRowsEach(...tables),
];
