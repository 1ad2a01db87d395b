import { Readable } from 'node:stream';
import Joi from 'joi';
import { getCrmImport, listCrmImports } from '../../src/imports/imports.ts';
import { crmImportErrors } from '../../src/imports/tables.ts';
import { neutralised } from '../../src/platform/csv/formulas.ts';
import { csvOf } from '../../src/platform/csv/write.ts';
import type { Own } from '../../src/platform/database/own.ts';
import { nowDate } from '../../src/platform/time/clock.ts';
import { csvHeaders } from '../contacts/csv-file.ts';
import { data, listedData } from '../contacts/schemas.ts';
import { endpoint } from '../http/endpoint.ts';
import { dataList, type PageQuery, pageQuery } from '../http/paging.ts';
import { view, wrapped } from '../http/view.ts';
import { pageOfErrors } from '../imports/files.ts';
import { errorsView } from '../imports/views.ts';
import { crmImportView, tag, toCrmImportView } from './import-schemas.ts';

const about = { tag, subject: 'Import', scope: 'crm:read' } as const;

export const listOfCrmImports = endpoint({
  method: 'get',
  path: '/v1/crm/imports',
  operationId: 'crm.imports.list',
  tag,
  scope: 'crm:read',
  summary: 'List the imports of deals and records, newest first',
  description: 'Kept 30 days after their end.',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: dataList(crmImportView) },
  handler: ({ query, own }) => listedData('crm.imports', {}, query, (page) => listCrmImports(own, {}, page), toCrmImportView),
});

export const getOneCrmImport = endpoint({
  ...about,
  method: 'get',
  path: '/v1/crm/imports/:crmImportID',
  operationId: 'crm.imports.get',
  summary: 'Get an import: how far it is and what became of it',
  responses: { 200: wrapped(crmImportView) },
  handler: async ({ params: { crmImportID }, own }) => data(toCrmImportView(await getCrmImport(own, crmImportID))),
});

const limits = 'Of the first 10,000 refused rows, up to 20 each. No error holds what stood in the cell.';

export const listOfCrmImportErrors = endpoint({
  ...about,
  method: 'get',
  path: '/v1/crm/imports/:crmImportID/errors',
  operationId: 'crm.imports.errors',
  summary: 'List why rows of an import were refused, in the order of the file',
  description: limits,
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: errorsView({ code: 'row.cells', message: 'The row has 3 cells, the header 5' }) },
  async handler({ params: { crmImportID }, query, own }) {
    const { id } = await getCrmImport(own, crmImportID);
    return pageOfErrors(own, id, query, crmImportErrors);
  },
});

const errorColumns = ['line', 'column', 'code', 'message'];
const pageRows = 500;

async function* errorsAsCsv(own: Own, importId: string): AsyncGenerator<string> {
  yield csvOf([errorColumns]);
  for (let after: [number, string] | undefined; ; ) {
    const { rows } = await crmImportErrors.list(own, importId, { limit: pageRows, after, includeTotal: false });
    const page = rows.slice(0, pageRows);
    if (page.length > 0)
      yield csvOf(
        page.map(({ line, column_name, code, message }) => [String(line), neutralised(column_name), code, neutralised(message)]),
      );
    if (rows.length <= pageRows) return;
    const last = page.at(-1)!;
    after = [last.line, last.id];
  }
}

export const exportCrmImportErrors = endpoint({
  ...about,
  method: 'get',
  path: '/v1/crm/imports/:crmImportID/errors/export',
  operationId: 'crm.imports.errors.export',
  isDownload: true,
  summary: 'Export why rows of an import were refused, as a CSV file',
  description: `${limits} Safe to open in a spreadsheet.`,
  responses: {
    200: view(
      Joi.string().meta({ contentType: 'text/csv' }),
      'line,column,code,message\r\n17,email,string.email,email must be an email address\r\n',
    ),
  },
  async handler({ params: { crmImportID }, own }) {
    const { id } = await getCrmImport(own, crmImportID);
    const stream = Readable.from(errorsAsCsv(own, id), { highWaterMark: 2 });
    return { status: 200, headers: csvHeaders('import-errors', nowDate()), stream };
  },
});
