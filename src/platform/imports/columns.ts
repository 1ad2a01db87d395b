import { p } from '@mikro-orm/core';
import { created, tenant, times, timestamp } from '../database/columns.ts';

export const importStates = ['uploading', 'queued', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type ImportState = (typeof importStates)[number];
export type StoredFailure = { code: string; message: string; line?: number; column?: string };

export const importColumns = () => ({
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
  failure: p.json<StoredFailure>().strictNullable(),
  ...times(),
  finished_at: timestamp().strictNullable(),
});

export const chunkColumns = () => ({
  organization_id: p.uuid().primary(),
  import_id: p.uuid().primary(),
  number: p.integer().primary().autoincrement(false),
  bytes: p.blob(),
});

export const errorColumns = () => ({
  ...tenant(),
  import_id: p.uuid(),
  line: p.integer(),
  /** Empty for the whole row. */
  column_name: p.text(),
  code: p.text(),
  message: p.text(),
  ...created(),
});

/** What the API shows of an import. */
export const shownColumns = [
  'id',
  'state',
  'rows_done',
  'created_count',
  'updated_count',
  'unchanged_count',
  'failed_count',
  'failure',
  'created_at',
  'finished_at',
] as const;
