import type { ImportTables } from '../../platform/imports/tables.ts';
import { uploadsIn } from '../../platform/imports/uploads.ts';
import { ContactImport, ContactImportChunk, ContactImportError } from './import.entity.ts';

export const importLane = (organizationId: string) => `contact-import:${organizationId}`;

export const contactImportTables: ImportTables = {
  imports: ContactImport.tableName,
  chunks: ContactImportChunk.tableName,
  errors: ContactImportError.tableName,
  lane: importLane,
};

export const contactUploads = uploadsIn(contactImportTables);
