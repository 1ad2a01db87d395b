import { Readable } from 'node:stream';
import Joi from 'joi';
import { contactsAsCsv } from '../../src/contacts/export/csv.ts';
import { customKeys, selected } from '../../src/contacts/export/selection.ts';
import { contactFields, readContactListing } from '../../src/contacts/list.ts';
import { isTooBusy } from '../../src/platform/database/errors.ts';
import { AppError } from '../../src/platform/errors.ts';
import type { AskOnce } from '../../src/platform/listing/pages.ts';
import { TooSlow } from '../../src/platform/listing/reads.ts';
import { nowDate } from '../../src/platform/time/clock.ts';
import { endpoint } from '../http/endpoint.ts';
import { type ListQuery, listQuery } from '../http/listing.ts';
import { csvFile, csvHeaders, exportOrder, raw } from './csv-file.ts';
import { tag } from './schemas.ts';

const { search, filters, sort } = listQuery(contactFields, exportOrder);
type Query = Pick<ListQuery, 'search' | 'filters' | 'sort'> & { raw: boolean };

export const exportContacts = endpoint({
  method: 'get',
  path: '/v1/contacts/export',
  operationId: 'contacts.export',
  tag,
  scope: 'contacts:read',
  audit: 'organization',
  isDownload: true,
  summary: 'Export contacts as a CSV file',
  description:
    'Those that GET /v1/contacts gives for the same search and filters, oldest first unless `sort` says otherwise. UTF-8, a header line first, each custom field in a column of its own. POST /v1/contacts/import takes the file as it is, and changes nothing. A cell that a spreadsheet would take for a formula has a quote before it, unless `raw=true` asks for none. Sent as it is read; POST /v1/contacts/export has a worker write it.',
  query: Joi.object<Query>({ search, filters, sort, raw }),
  responses: { 200: csvFile },
  async handler({ query, caller, write }, { reads }) {
    const listing = readContactListing({ ...query, sort: query.sort ?? exportOrder });
    const { organizationId } = caller;
    const dear: AskOnce = (work) => reads.dear(organizationId, work);
    // One search per page: a slow client must not hold a place among the organization's searches.
    const endsAt = performance.now() + longestLookMs;
    const contacts = selected(listing.unindexed > 0 ? dear : (work) => work(reads.plain), organizationId, listing, {
      all: (work) => dear(work).catch(throwTooLong),
      window: (work) =>
        reads
          .lookInTurn(organizationId, () => {
            if (performance.now() > endsAt) throw new TooSlow();
            return work(reads.plain);
          })
          .catch(throwTooLong),
    });
    const keys = await customKeys(contacts);
    const { status } = await write({}, async () => ({ status: 200 }));
    const pieces = reads.inTurns(organizationId, contactsAsCsv(contacts, keys, { isRaw: query.raw }));
    return { status, headers: csvHeaders('contacts', nowDate()), stream: Readable.from(pieces, { highWaterMark: 2 }) };
  },
});

/** Nothing is sent meanwhile, and a silent connection is closed: CONNECTION_STALL_TIMEOUT_MS, 31 s at least. */
const longestLookMs = 25_000;

/** Finding the columns reads every contact that the search finds. */
function throwTooLong(error: unknown): never {
  if (!(error instanceof TooSlow || isTooBusy(error))) throw error;
  const message = 'This takes too long: narrow it by search or filters, or have a worker write it with POST /v1/contacts/export';
  throw new AppError('unavailable', message, { retryAfterSeconds: 5, cause: error });
}
