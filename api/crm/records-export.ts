import { Readable } from 'node:stream';
import Joi from 'joi';
import { contactFields } from '../../src/contacts/list.ts';
import { invalidField } from '../../src/platform/errors.ts';
import { readListing } from '../../src/platform/listing/listing.ts';
import { nowDate } from '../../src/platform/time/clock.ts';
import { recordsAsCsv } from '../../src/records/csv/export.ts';
import { recordsOf } from '../../src/records/list.ts';
import { assertAnswerable } from '../../src/records/types/listing.ts';
import { type BuiltInKind, isBuiltIn } from '../../src/records/types/names.ts';
import { loadType, unknownKind } from '../../src/records/types/object-type.ts';
import { csvHeaders, exportOrder, raw } from '../contacts/csv-file.ts';
import { endpoint } from '../http/endpoint.ts';
import { type ListQuery, listQuery } from '../http/listing.ts';
import { view } from '../http/view.ts';
import { objectKind, tag } from './record-schemas.ts';

const { search, filters, sort } = listQuery(contactFields, exportOrder);
type Query = Pick<ListQuery, 'search' | 'filters' | 'sort'> & { raw: boolean };

const elsewhere: Partial<Record<BuiltInKind, string>> = { contact: '/v1/contacts/export', deal: '/v1/crm/deals/export' };

/** Throws 422, which names where its file is. */
function assertHasFile(kind: string): void {
  if (!isBuiltIn(kind)) return;
  const path = elsewhere[kind];
  const message = path ? `Objects of the kind ${kind} are exported at ${path}` : `There is no file of the kind ${kind}`;
  throw invalidField('objectKind', message, 'kind.built_in', 'path');
}

const example =
  'id,display_name,name,domain,custom_fields,metadata,revision,created_at,updated_at\r\n01932d5f-3a0e-7cc4-8f4e-0242ac120004,Analytical Engines,Analytical Engines,analytical.example,{},{},1,2026-11-21T10:00:00.000Z,2026-11-21T10:00:00.000Z\r\n';

export const exportRecords = endpoint({
  method: 'get',
  path: '/v1/crm/object-types/:objectKind/records/export',
  operationId: 'crm.records.export',
  tag,
  scope: 'crm:read',
  audit: 'organization',
  isDownload: true,
  summary: 'Export records as a CSV file',
  description:
    'Those that the list of the kind gives for the same search and filters, oldest first unless `sort` says otherwise. UTF-8, a header line first: a column for each field of the type, as an import reads it; `custom_fields` and `metadata` are JSON. A text that a spreadsheet would take for a formula has a quote before it, unless `raw=true` asks for none. Sent as it is read.',
  isMissingFine: true,
  params: { objectKind },
  query: Joi.object<Query>({
    search,
    filters: filters.description('As in the list of the kind'),
    sort: sort.description('As in the list of the kind'),
    raw,
  }),
  responses: { 200: view(Joi.string().meta({ contentType: 'text/csv' }), example) },
  example: { params: { objectKind: 'company' } },
  async handler({ params, query: { raw: isRaw, ...query }, own, caller: { organizationId }, write }, { reads }) {
    assertHasFile(params.objectKind);
    const type = await loadType(own, params.objectKind);
    if (!type) throw unknownKind();
    const asked = { ...query, sort: query.sort ?? exportOrder };
    const listing = readListing(`records ${type.kind}`, recordsOf(type).fields, asked);
    await assertAnswerable(own, type, listing);
    const audit = { subject: `organization:${organizationId}`, details: { kind: type.kind } };
    const { status } = await write({}, async () => ({ status: 200, audit }));
    const pieces = reads.inTurns(organizationId, recordsAsCsv(reads, organizationId, type, listing, { isRaw }));
    return { status, headers: csvHeaders(type.kind, nowDate()), stream: Readable.from(pieces, { highWaterMark: 2 }) };
  },
});
