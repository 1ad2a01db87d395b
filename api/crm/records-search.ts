import Joi from 'joi';
import { maxBodyFilterBytes, maxFilters } from '../../src/platform/listing/filters.ts';
import { maxSearchCharacters } from '../../src/platform/listing/search.ts';
import { endpoint } from '../http/endpoint.ts';
import { bodyFilter, type Filter } from '../http/listing.ts';
import { listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { readerOf } from './kind-reader.ts';
import { objectKind, recordView, tag } from './record-schemas.ts';
import { pageOfRecords } from './records-list.ts';

type Body = PageQuery & { filters?: Filter[]; any?: Filter[][]; search?: string; sort?: string };

const filter = bodyFilter('A field of the kind, or `custom_fields.<key>`');

export const searchOfRecords = endpoint({
  method: 'post',
  path: '/v1/crm/object-types/:objectKind/records/search',
  operationId: 'crm.records.search',
  isRead: true,
  tag,
  scope: 'crm:read',
  summary: 'Search the records of a kind, with the filters in the body',
  description: `For filters that are too many or too long for an address, and for alternatives. Everything given must hold. At most ${maxFilters} filters in all, groups included, in ${maxBodyFilterBytes / 1_024} KB. It changes nothing, and works for every kind that the list works for, with the same scopes.`,
  isMissingFine: true,
  params: { objectKind },
  body: Joi.object<Body>({
    filters: Joi.array().items(filter).max(maxFilters).description('All of them must hold'),
    any: Joi.array()
      .items(Joi.array().items(filter).min(1).max(maxFilters))
      .max(maxFilters)
      .description('Groups: of each, one filter at least must hold'),
    search: Joi.string().trim().allow('').max(maxSearchCharacters).description('Words, all of which must match'),
    sort: Joi.string().trim().max(200).description('As in the list; the default is that of the list'),
    ...pageQuery,
    cursor: pageQuery.cursor.max(8_192),
  }),
  responses: { 200: listOf(recordView) },
  example: {
    params: { objectKind: 'company' },
    body: {
      filters: [{ field: 'employees', operator: 'gte', value: 10 }],
      any: [
        [
          { field: 'industry', value: 'software' },
          { field: 'domain', operator: 'is_empty' },
        ],
      ],
      sort: '-created_at',
    },
  },
  async handler({ params, body, own, caller }, { reads }) {
    const reader = await readerOf(own, caller, params.objectKind);
    return pageOfRecords(reader, reads, body, { ...body, location: 'body' });
  },
});
