import { Readable } from 'node:stream';
import Joi from 'joi';
import { dealCsvColumns, dealsAsCsv } from '../../src/deals/export.ts';
import { dealFields, readDealListing } from '../../src/deals/list.ts';
import { nowDate } from '../../src/platform/time/clock.ts';
import { csvHeaders, exportOrder, raw } from '../contacts/csv-file.ts';
import { endpoint } from '../http/endpoint.ts';
import { type ListQuery, listQuery } from '../http/listing.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { tag } from './deal-schemas.ts';
import { filtersWith } from './deals-list.ts';

const { search, filters, sort } = listQuery(dealFields, exportOrder);
type Query = Pick<ListQuery, 'search' | 'filters' | 'sort'> & { raw: boolean; stage_id?: string };

export const exportDeals = endpoint({
  method: 'get',
  path: '/v1/crm/deals/export',
  operationId: 'crm.deals.export',
  tag,
  scope: 'crm:read',
  audit: 'organization',
  isDownload: true,
  summary: 'Export deals as a CSV file',
  description:
    'Those that GET /v1/crm/deals gives for the same search and filters, oldest first unless `sort` says otherwise. UTF-8, a header line first. `contact_ids` are separated by spaces, the primary one first; `custom_fields` and `metadata` are JSON. A text that a spreadsheet would take for a formula has a quote before it, unless `raw=true` asks for none. Sent as it is read.',
  query: Joi.object<Query>({ search, filters, sort, stage_id: id.description('The deals of one stage'), raw }),
  responses: { 200: view(Joi.string().meta({ contentType: 'text/csv' }), `${dealCsvColumns.join(',')}\r\n`) },
  async handler({ query: { raw: isRaw, stage_id, ...query }, caller: { organizationId }, write }, { reads }) {
    const asked = { ...query, sort: query.sort ?? exportOrder, filters: filtersWith(query.filters, stage_id) };
    const listing = readDealListing(asked);
    const { status } = await write({}, async () => ({ status: 200 }));
    const pieces = reads.inTurns(organizationId, dealsAsCsv(reads, organizationId, listing, { isRaw }));
    return { status, headers: csvHeaders('deals', nowDate()), stream: Readable.from(pieces, { highWaterMark: 2 }) };
  },
});
