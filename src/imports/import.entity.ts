import { defineEntity, p } from '@mikro-orm/core';
import { chunkColumns, errorColumns, importColumns } from '../platform/imports/columns.ts';

export const importModes = ['upsert', 'create'] as const;
export type ImportMode = (typeof importModes)[number];

/** What the client asked for beside the file. */
export type ImportRequest = {
  mode: ImportMode;
  /** The column that says which object a row is about. Null: `id`, if the file has it. */
  key: string | null;
  /** Noted with each record as where its values come from. */
  source: string | null;
  /** Names of the file's own columns, each with that of ours; null: passed over. */
  columns: Record<string, string | null>;
  /** Whether the caller may look contacts up by their addresses. */
  seesContacts: boolean;
  /** Of records: the type that the kind named when the file was taken. Another one of the same name is not meant. */
  typeId?: string;
};

/** The kind of a file of recipients: no kind of records has a hyphen. */
export const recipientsKind = 'campaign-recipients';
/** `create_contacts`: who is nobody yet becomes a contact. */
export type RecipientsRequest = { campaign_id: string; create_contacts: boolean };

export const CrmImport = defineEntity({
  name: 'CrmImport',
  tableName: 'crm_imports',
  properties: {
    ...importColumns(),
    /** `deal`, a kind of records, or `recipientsKind`. Both are null until the file is whole. */
    object_kind: p.text().strictNullable(),
    request: p.json<ImportRequest | RecipientsRequest>().strictNullable(),
  },
});

/** Deleted when the import has ended. */
export const CrmImportChunk = defineEntity({
  name: 'CrmImportChunk',
  tableName: 'crm_import_chunks',
  properties: chunkColumns(),
});

export const CrmImportError = defineEntity({
  name: 'CrmImportError',
  tableName: 'crm_import_errors',
  properties: errorColumns(),
});
