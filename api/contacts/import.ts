import Joi from 'joi';
import { dropUpload, getImport, type ImportRow, listImports, queueImport } from '../../src/contacts/import/imports.ts';
import { importLane } from '../../src/contacts/import/jobs.ts';
import { type ImportErrorRow, listImportErrors } from '../../src/contacts/import/row-errors.ts';
import { receiveUpload, tooLarge } from '../../src/contacts/import/upload.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { cursorOf, positionIn } from '../../src/platform/listing/cursor.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { dataList, type PageQuery, pageFrom, pageQuery } from '../http/paging.ts';
import { id, iso, operationNote, timestamp } from '../http/schemas.ts';
import { view, withExample, wrapped } from '../http/view.ts';
import { data, listedData, tag } from './schemas.ts';

const count = Joi.number().integer().required();

export const importView = view(
  'contact_import',
  Joi.object({
    id: id.required(),
    status: Joi.string().valid('uploading', 'queued', 'running', 'succeeded', 'failed', 'cancelled').required(),
    rows: count.description('Rows done so far, of every kind'),
    created: count,
    updated: count,
    unchanged: count,
    failed: count.description('Rows that were refused; why stands in the errors'),
    failure: Joi.object({
      code: Joi.string().required(),
      message: Joi.string().required(),
      line: Joi.number().integer(),
      column: Joi.string().allow(''),
    })
      .allow(null)
      .required()
      .description('Why the file could not be read any further; rows before that line are imported'),
    created_at: timestamp.required(),
    finished_at: timestamp.allow(null).required(),
  }),
  {
    id: exampleIds.import,
    status: 'succeeded',
    rows: 1000,
    created: 990,
    updated: 8,
    unchanged: 0,
    failed: 2,
    failure: null,
    created_at: exampleTime,
    finished_at: '2026-11-21T10:00:01.000Z',
  },
);

const toImportView = (row: ImportRow) => ({
  id: row.id,
  status: row.state,
  rows: row.rows_done,
  created: row.created_count,
  updated: row.updated_count,
  unchanged: row.unchanged_count,
  failed: row.failed_count,
  failure: row.failure,
  created_at: iso(row.created_at),
  finished_at: row.finished_at && iso(row.finished_at),
});

const errorView = view(
  Joi.object({
    line: Joi.number().integer().required().description('Of the file, from 1; where the row begins'),
    column: Joi.string().allow('').required().description('Empty where the whole row is meant'),
    code: Joi.string().required(),
    message: Joi.string().required(),
  }),
  { line: 17, column: 'email', code: 'string.email', message: 'email must be a valid email' },
);
const toErrorView = ({ line, column_name, code, message }: ImportErrorRow) => ({ line, column: column_name, code, message });
const queued = { status: 'queued', rows: 0, created: 0, updated: 0, failed: 0, finished_at: null };
const about = { tag, subject: 'Import' };

const exampleErrors = withExample(dataList(errorView), {
  data: [
    { line: 17, column: 'email', code: 'string.email', message: 'email must be a valid email' },
    {
      line: 40,
      column: '',
      code: 'conflict',
      message: `The identities belong to different contacts: ${exampleIds.contact}, ${exampleIds.otherContact}`,
    },
  ],
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
    async take({ stream, caller, header, isRepeat }, { config, database, ledger }) {
      const { importMaxBytes: maxBytes, importsMaxQueued: maxQueued } = config;
      if (Number(header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
      const own = ownRows(database, caller.organizationId);
      const receiving = { own, transact: ledger.transact, maxBytes, maxQueued: isRepeat ? undefined : maxQueued };
      const upload = await receiveUpload(receiving, actorOf(caller), stream);
      const discard = () => dropUpload(own, upload.importId).catch(() => undefined);
      return { body: upload, hash: upload.checksum, discard };
    },
  },
  responses: { 201: wrapped(withExample(importView, queued)) },
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
    const { id: importId } = await getImport(own, importID);
    const { limit, cursor, include_total: includeTotal } = query;
    const after = cursor === undefined ? undefined : positionIn<[number, string]>(cursor, importId, ['line', 'id']);
    const { rows, total } = await listImportErrors(own, importId, { limit, after, includeTotal });
    const page = pageFrom(query, rows, ({ line, id }) => cursorOf(importId, [line, id]), total);
    return ok({ data: page.rows.map(toErrorView), meta: page.meta });
  },
});
