import { defineEntity, p } from '@mikro-orm/core';
import { tenant, times, timestamp } from '../../platform/database/columns.ts';
import type { Position } from '../../platform/listing/keyset.ts';
import type { ListRequest } from '../../platform/listing/listing.ts';
import type { CsvForm } from './csv.ts';

export const exportStates = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type ExportState = (typeof exportStates)[number];
/** `statuses`: of recipients. */
export type ExportRequest = ListRequest & CsvForm & { statuses?: string[] };
export type ExportFailure = { code: string; message: string };

export const ContactExport = defineEntity({
  name: 'ContactExport',
  tableName: 'contact_exports',
  properties: {
    ...tenant(),
    state: p.enum(exportStates),
    actor: p.text(),
    /** Whose recipients the file has; null: contacts. */
    campaign_id: p.uuid().strictNullable(),
    /** Like `keys` and `position` null once the export has ended. */
    request: p.json<ExportRequest>().strictNullable(),
    keys: p.json<string[]>().strictNullable(),
    position: p.json<Position>().strictNullable(),
    pieces: p.integer().default(0),
    rows_done: p.integer().default(0),
    bytes: p.bigint('string').defaultRaw('0'),
    failure: p.json<ExportFailure>().strictNullable(),
    ...times(),
    finished_at: timestamp().strictNullable(),
  },
});

/** A piece of whole rows, with their smallest and greatest id. */
export const ContactExportChunk = defineEntity({
  name: 'ContactExportChunk',
  tableName: 'contact_export_chunks',
  properties: {
    organization_id: p.uuid().primary(),
    export_id: p.uuid().primary(),
    number: p.integer().primary().autoincrement(false),
    bytes: p.blob(),
    first_id: p.uuid().strictNullable(),
    last_id: p.uuid().strictNullable(),
  },
});
