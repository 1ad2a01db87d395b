import Joi from 'joi';
import { contactFields } from '../../src/contacts/list.ts';
import type { ListRequest } from '../../src/platform/listing/listing.ts';
import type { Reads } from '../../src/platform/listing/reads.ts';
import { endpoint, ok, type Reply } from '../http/endpoint.ts';
import { type ListQuery, listQuery, pageOfListing } from '../http/listing.ts';
import { listOf, type PageQuery } from '../http/paging.ts';
import { type KindReader, readerOf } from './kind-reader.ts';
import { objectKind, recordView, tag } from './record-schemas.ts';

const { sort, filters, ...rest } = listQuery(contactFields);

export const listOfRecords = endpoint({
  method: 'get',
  path: '/v1/crm/object-types/:objectKind/records',
  operationId: 'crm.records.list',
  tag,
  scope: 'crm:read',
  summary: 'List the records of a kind: search, filter, sort',
  description:
    'Works for every kind. A kind with its own table (`contact`, `conversation`, `deal`, `task`) also needs the scope that reads it, and takes the filters and sorts of its own list. An unknown kind is a 422. Beside another filter a range of very many values is compared record by record: such a page ends after so many, and may be short, or empty, while `has_more` is true; go on with `next_cursor`.',
  isMissingFine: true,
  params: { objectKind },
  query: Joi.object<ListQuery>({
    ...rest,
    sort: sort.description(
      'Up to three names with `-` for descending: `created_at`, `updated_at`, `display_name` and indexed fields',
    ),
    filters: filters.description(
      'A JSON array of `{field, operator, value}`, all of which must hold, up to 20 in 4 KB. Fields are those of the kind, and `custom_fields.<key>`',
    ),
  }),
  responses: { 200: listOf(recordView) },
  example: {
    params: { objectKind: 'company' },
    query: { sort: '-created_at', filters: '[{"field":"name","operator":"eq","value":"Analytical Engines"}]' },
  },
  async handler({ params, query, own, caller }, { reads }) {
    const reader = await readerOf(own, caller, params.objectKind);
    return pageOfRecords(reader, reads, query, query);
  },
});

export async function pageOfRecords(reader: KindReader, reads: Reads, page: PageQuery, request: ListRequest): Promise<Reply> {
  const listing = reader.listing(request);
  const { rows, meta } = await pageOfListing(
    listing,
    page,
    (one) => reader.list(reads, listing, one),
    (row) => row,
  );
  return ok({ items: await reader.shown(rows), meta });
}
