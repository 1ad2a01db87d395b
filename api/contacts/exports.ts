import Joi from 'joi';
import {
  deleteExport,
  type ExportRow,
  fileOf,
  getExport,
  listExports,
  maxExports,
  queueExport,
} from '../../src/contacts/export/exports.ts';
import { exportLane } from '../../src/contacts/export/jobs.ts';
import { contactFields, readContactListing } from '../../src/contacts/list.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { AppError } from '../../src/platform/errors.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { maxFilters } from '../../src/platform/listing/filters.ts';
import { endpoint } from '../http/endpoint.ts';
import { listQuery } from '../http/listing.ts';
import { dataList, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, operationNote, timestamp } from '../http/schemas.ts';
import { view, withExample, wrapped } from '../http/view.ts';
import { csvFile, csvHeaders, exportOrder, raw } from './csv-file.ts';
import { data, listedData, tag } from './schemas.ts';

const status = Joi.string().valid('queued', 'running', 'succeeded', 'failed', 'cancelled').required();

export const exportView = view(
  'contact_export',
  Joi.object({
    id: id.required(),
    status,
    campaign_id: id
      .allow(null)
      .required()
      .description('The campaign whose recipients the file has; null: contacts. Its file takes `campaigns:read` too'),
    rows: Joi.number().integer().required().description('Contacts or recipients written so far'),
    bytes: Joi.number().integer().required().description('Of the file so far'),
    failure: Joi.object({ code: Joi.string().required(), message: Joi.string().required() }).allow(null).required(),
    created_at: timestamp.required(),
    finished_at: timestamp.allow(null).required(),
  }),
  {
    id: exampleIds.export,
    status: 'succeeded',
    campaign_id: null,
    rows: 1000,
    bytes: 81_920,
    failure: null,
    created_at: exampleTime,
    finished_at: '2026-11-21T10:00:01.000Z',
  },
);

export const toExportView = (row: ExportRow) => ({
  id: row.id,
  status: row.state,
  campaign_id: row.campaign_id,
  rows: row.rows_done,
  bytes: Number(row.bytes),
  failure: row.failure,
  created_at: iso(row.created_at),
  finished_at: row.finished_at && iso(row.finished_at),
});
// Callers who may read the contacts may also copy them and delete the copy.
const about = { tag, subject: 'Export', scope: 'contacts:read' as const };

type Request = { search?: string; sort?: string; filters?: object[] };
const { search, sort } = listQuery(contactFields, exportOrder);
const filters = Joi.array()
  .items(Joi.object().max(20))
  .max(maxFilters)
  .description('As GET /v1/contacts takes them, in an array');

export const createExport = endpoint({
  method: 'post',
  path: '/v1/contacts/export',
  operationId: 'contacts.exports.create',
  tag,
  scope: 'contacts:read',
  audit: 'contact_export',
  summary: 'Export contacts to a CSV file that is kept',
  description: `For more contacts than one wants to wait for: a worker writes the file of GET /v1/contacts/export, which stands ready for 7 days. One event, \`contacts.exported\`, says so. An organization keeps at most ${maxExports}. A person who is forgotten is taken out of it.\n\n${operationNote}`,
  isIdempotent: true,
  isOperation: true,
  query: Joi.object<{ raw: boolean }>({ raw }),
  body: Joi.object<Request | undefined>({ search, filters, sort }),
  responses: { 201: wrapped(withExample(exportView, { status: 'queued', rows: 0, bytes: 0, finished_at: null })) },
  location: '/v1/contacts/exports',
  example: {
    body: { filters: [{ field: 'tags', operator: 'eq', value: 'vip' }] },
  },
  handler: ({ body, query, caller, own, write }) => {
    const { search, sort = exportOrder, filters: conditions } = body ?? {};
    const request = { search, sort, filters: conditions && JSON.stringify(conditions), isRaw: query.raw };
    readContactListing({ ...request, location: 'body' });
    return write({ locks: [exportLane(own.organizationId)] }, async (tx) => {
      const { row, operationId } = await queueExport(tx, actorOf(caller), request);
      return { status: 201, body: { data: toExportView(row) }, operationId };
    });
  },
  async outcome({ own }, _deps, reply) {
    const { id: exportId } = (reply.body as { data: { id: string } }).data;
    return { ...reply, body: { data: toExportView(await getExport(own, exportId)) } };
  },
});

export const listOfExports = endpoint({
  method: 'get',
  path: '/v1/contacts/exports',
  operationId: 'contacts.exports.list',
  tag,
  scope: 'contacts:read',
  summary: 'List the exports, newest first',
  description: 'Kept 7 days after their end.',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: dataList(exportView) },
  handler: ({ query, own }) => listedData('contacts.exports', {}, query, (page) => listExports(own, {}, page), toExportView),
});

export const getOneExport = endpoint({
  ...about,
  method: 'get',
  path: '/v1/contacts/exports/:exportID',
  operationId: 'contacts.exports.get',
  summary: 'Get an export: how far it is and what became of it',
  responses: { 200: wrapped(exportView) },
  handler: async ({ params: { exportID }, own }) => data(toExportView(await getExport(own, exportID))),
});

export const getExportFile = endpoint({
  ...about,
  method: 'get',
  path: '/v1/contacts/exports/:exportID/file',
  operationId: 'contacts.exports.file',
  isDownload: true,
  audit: 'contact_export',
  summary: 'Download the file of an export',
  description: 'As often as needed while it is kept; 409 until it is complete.',
  responses: { 200: csvFile },
  async handler({ params: { exportID }, own, caller, write }) {
    const row = await getExport(own, exportID);
    if (row.campaign_id !== null && !caller.scopes.has('campaigns:read'))
      throw new AppError('forbidden', 'The file is of recipients of a campaign: this takes campaigns:read too');
    if (row.state !== 'succeeded') throw new AppError('conflict', `The file is not there: the export is ${row.state}`);
    const { status: done } = await write({}, async () => ({ status: 200 }));
    return {
      status: done,
      headers: csvHeaders(row.campaign_id === null ? 'contacts' : 'recipients', new Date(row.finished_at!)),
      stream: fileOf(own, row),
    };
  },
});

export const deleteOneExport = endpoint({
  ...about,
  method: 'delete',
  path: '/v1/contacts/exports/:exportID',
  operationId: 'contacts.exports.delete',
  audit: 'contact_export',
  summary: 'Delete an export with its file',
  description: 'One that is still under way is a 409.',
  responses: { 204: null },
  handler: ({ params: { exportID }, write }) =>
    write({ isLong: true }, async (tx) => {
      await deleteExport(tx.own, exportID);
      return { status: 204 };
    }),
});
