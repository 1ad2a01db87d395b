import { defineEntity } from '@mikro-orm/core';
import { chunkColumns, errorColumns, importColumns } from '../../platform/imports/columns.ts';

export const ContactImport = defineEntity({
  name: 'ContactImport',
  tableName: 'contact_imports',
  properties: importColumns(),
});

/** Deleted when the import has ended. */
export const ContactImportChunk = defineEntity({
  name: 'ContactImportChunk',
  tableName: 'contact_import_chunks',
  properties: chunkColumns(),
});

export const ContactImportError = defineEntity({
  name: 'ContactImportError',
  tableName: 'contact_import_errors',
  properties: errorColumns(),
});
