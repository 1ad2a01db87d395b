import { progressIn } from '../platform/imports/progress.ts';
import { rowErrorsIn } from '../platform/imports/row-errors.ts';
import type { ImportTables } from '../platform/imports/tables.ts';
import { uploadsIn } from '../platform/imports/uploads.ts';
import { CrmImport, CrmImportChunk, CrmImportError } from './import.entity.ts';

/** One for all kinds: a file of deals may link the companies of another. */
export const crmImportLane = (organizationId: string) => `crm-import:${organizationId}`;

export const crmImportTables: ImportTables = {
  imports: CrmImport.tableName,
  chunks: CrmImportChunk.tableName,
  errors: CrmImportError.tableName,
  lane: crmImportLane,
};

export const crmUploads = uploadsIn(crmImportTables);
export const crmProgress = progressIn(crmImportTables);
export const crmImportErrors = rowErrorsIn(crmImportTables);
