import Joi from 'joi';
import { getImport, importErrors, listImports, queueImport } from '../../src/contacts/import/imports.ts';
import { contactUploads, importLane } from '../../src/contacts/import/tables.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { dataList, type PageQuery, pageQuery } from '../http/paging.ts';
import { operationNote } from '../http/schemas.ts';
import { view, withExample, wrapped } from '../http/view.ts';
import { pageOfErrors, takeFile } from '../imports/files.ts';
import { errorsView, importExample, importShape, queuedExample, toImportView } from '../imports/views.ts';
import { data, listedData, tag } from './schemas.ts';

export const importView = view('contact_import', Joi.object(importShape), importExample);
const about = { tag, subject: 'Import' };

const exampleErrors = errorsView({
  code: 'conflict',
  message: `The identities belong to different contacts: ${exampleIds.contact}, ${exampleIds.otherContact}`,
});

export const importContacts = endpoint({
  method: 'post',
  path: '/v1/contacts/import',
  operationId: 'contacts.import',
  tag,
  scope: 'contacts:write',
  audit: 'contact_import',
  summary: 'Import contacts from a CSV file',
  description: `Each row is what POST /v1/contacts takes: its identities decide whether it creates a contact or updates one, given cells only. A row with errors is left out and reported with its line and column. A file has at most 500 columns. An organization has few imports that wait or run (\`IMPORTS_MAX_QUEUED\`, usually 10): one more is a 422 \`limit_reached\`, before it is read. The same file again changes nothing. One event, \`contacts.imported\`, and none for each row.\n\n${operationNote}`,
  isIdempotent: true,
  isOperation: true,
  receive: {
    contentType: 'text/csv',
    description:
      'UTF-8, a header line first, in any order: `phone_number`, `name`, `email`, `external_source`, `external_id`, `tags` (with `;` between them, `\\;` within one; a tag is added, none is taken away), `custom_fields.<key>` (a number, true, false, list, object or text in quotes as JSON; anything else is the text it is). `id`, as an export writes it, is of a contact that is there, or says nothing; `created_at` and `updated_at` are passed over. An empty cell says nothing. A quote before a cell that begins with = + - @ is taken off.',
    take: takeFile(contactUploads),
  },
  responses: { 201: wrapped(withExample(importView, queuedExample)) },
  location: '/v1/contacts/imports',
  example: {
    body: 'phone_number,name,tags,custom_fields.tier\r\n+16505551234,Sheena Nelson,vip;newsletter,gold\r\n',
  },
  handler: ({ body, own, write }) =>
    write({ locks: [importLane(own.organizationId)] }, async (tx) => {
      const { row, operationId } = await queueImport(tx, body);
      return { status: 201, body: { data: toImportView(row) }, operationId };
    }),
  async outcome({ own }, _deps, reply) {
    const { id: importId } = (reply.body as { data: { id: string } }).data;
    return { ...reply, body: { data: toImportView(await getImport(own, importId)) } };
  },
});

export const listOfImports = endpoint({
  method: 'get',
  path: '/v1/contacts/imports',
  operationId: 'contacts.imports.list',
  tag,
  scope: 'contacts:read',
  summary: 'List the imports, newest first',
  description: 'Kept 30 days after their end.',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: dataList(importView) },
  handler: ({ query, own }) => listedData('contacts.imports', {}, query, (page) => listImports(own, {}, page), toImportView),
});

export const getOneImport = endpoint({
  ...about,
  method: 'get',
  path: '/v1/contacts/imports/:importID',
  operationId: 'contacts.imports.get',
  scope: 'contacts:read',
  summary: 'Get an import: how far it is and what became of it',
  responses: { 200: wrapped(importView) },
  handler: async ({ params: { importID }, own }) => data(toImportView(await getImport(own, importID))),
});

export const listOfImportErrors = endpoint({
  ...about,
  method: 'get',
  path: '/v1/contacts/imports/:importID/errors',
  operationId: 'contacts.imports.errors',
  scope: 'contacts:read',
  summary: 'List why rows of an import were refused, in the order of the file',
  description: 'Of the first 10,000 refused rows, up to 20 each. No error holds what stood in the cell.',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: exampleErrors },
  async handler({ params: { importID }, query, own }) {
    const { id } = await getImport(own, importID);
    return pageOfErrors(own, id, query, importErrors);
  },
});
