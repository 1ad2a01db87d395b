import Joi from 'joi';
import { dealFields, listDeals, readDealListing } from '../../src/deals/list.ts';
import { exampleIdOf } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { type ListQuery, listQuery, pageOfListing } from '../http/listing.ts';
import { listOf } from '../http/paging.ts';
import { id } from '../http/schemas.ts';
import { dealView, type Reading, reading, tag, toDealViews } from './deal-schemas.ts';

/** As a filter of the list, where the text is one; else it is refused as it is. */
export function filtersWith(filters: string | undefined, stageId: string | undefined): string | undefined {
  if (stageId === undefined) return filters;
  const ours = { field: 'stage_id', value: stageId };
  if (filters === undefined) return JSON.stringify([ours]);
  try {
    const given: unknown = JSON.parse(filters);
    return Array.isArray(given) ? JSON.stringify([...given, ours]) : filters;
  } catch {
    return filters;
  }
}

export const listOfDeals = endpoint({
  method: 'get',
  path: '/v1/crm/deals',
  operationId: 'crm.deals.list',
  tag,
  scope: 'crm:read',
  summary: 'List deals: search, filter, sort',
  description:
    'The search is of the title. A board is one list a stage: `stage_id` with `sort=position`. A deal without `expected_close_at` comes last by it. A filter on `title`, `currency_code`, `amount_minor`, `pipeline_id`, `lost_reason`, `closed_at` or `stage_entered_at` looks at deals one by one: its page ends after so many, and may be short, or empty, while `has_more` is true; go on with `next_cursor`. What takes too long, `include_total` among it, is a 503 that says so.',
  query: Joi.object<ListQuery & Reading & { stage_id?: string }>({
    ...listQuery(dealFields),
    stage_id: id.description('The deals of one stage'),
    ...reading,
  }),
  responses: { 200: listOf(dealView) },
  example: { query: { stage_id: exampleIdOf('stage'), sort: 'position' } },
  async handler({ query: { stage_id, display_currency, ...query }, own }, { reads }) {
    const listing = readDealListing({ ...query, filters: filtersWith(query.filters, stage_id) });
    const read = (page: Parameters<typeof listDeals>[3]) => listDeals(reads, own, listing, page);
    const { rows, meta } = await pageOfListing(listing, query, read, (row) => row);
    return ok({ items: await toDealViews(own, rows, display_currency), meta });
  },
});
