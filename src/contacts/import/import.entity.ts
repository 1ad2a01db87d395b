import { defineEntity, p } from '@mikro-orm/core';
import { created, tenant, times, timestamp } from '../../platform/database/columns.ts';

export const importStates = ['uploading', 'queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type ImportState = (typeof importStates)[number];
export type ImportFailure = { code: string; message: string; line?: number; column?: string };

export const ContactImport = defineEntity({
  name: 'ContactImport',
  tableName: 'contact_imports',
  properties: {
    ...tenant(),
    state: p.enum(importStates),
    actor: p.text(),
    bytes: p.bigint('string').defaultRaw('0'),
    checksum: p.blob().strictNullable(),
    rows_done: p.integer().default(0),
    created_count: p.integer().default(0),
    updated_count: p.integer().default(0),
    unchanged_count: p.integer().default(0),
    failed_count: p.integer().default(0),
    failure: p.json<ImportFailure>().strictNullable(),
    ...times(),
    finished_at: timestamp().strictNullable(),
  },
});

/** Deleted when the import has ended. */
export const ContactImportChunk = defineEntity({
  name: 'ContactImportChunk',
  tableName: 'contact_import_chunks',
  properties: {
    organization_id: p.uuid().primary(),
    import_id: p.uuid().primary(),
    number: p.integer().primary().autoincrement(false),
    bytes: p.blob(),
  },
});

export const ContactImportError = defineEntity({
  name: 'ContactImportError',
  tableName: 'contact_import_errors',
  properties: {
    ...tenant(),
    import_id: p.uuid(),
    line: p.integer(),
    /** Empty for the whole row. */
    column_name: p.text(),
    code: p.text(),
    message: p.text(),
    ...created(),
  },
});
