import type { Own } from '../platform/database/own.ts';
import { invalidField } from '../platform/errors.ts';
import type { Fields } from '../platform/listing/fields.ts';
import { type Listing, type ListRequest, readListing } from '../platform/listing/listing.ts';
import { type ListPage, type ListRows, listRows } from '../platform/listing/page.ts';
import type { Reads } from '../platform/listing/reads.ts';
import type { ListedTable } from '../platform/listing/table.ts';
import { dealStatuses } from './deal.entity.ts';
import { type DealRow, dealColumns } from './deal-row.ts';

export const dealFields: Fields = {
  columns: {
    id: { sql: 'k.id', type: 'id' },
    title: { sql: 'k.title', type: 'text' },
    status: { sql: 'k.status', type: 'choice', values: dealStatuses },
    stage_id: { sql: 'k.stage_id', type: 'id', isNullable: true },
    pipeline_id: { sql: 'k.pipeline_id', type: 'id', isNullable: true, isUnindexed: true },
    owner_user_id: { sql: 'k.owner_user_id', type: 'id', isNullable: true },
    source_conversation_id: { sql: 'k.source_conversation_id', type: 'id', isNullable: true },
    currency_code: { sql: 'k.currency_code', type: 'text' },
    amount_minor: { sql: 'k.amount_minor', type: 'number' },
    lost_reason: { sql: 'k.lost_reason', type: 'text' },
    position: { sql: 'k.position', type: 'number', isSortable: true },
    expected_close_at: {
      sql: 'k.expected_close_at',
      type: 'time',
      isSortable: true,
      isNullable: true,
      inOrder: `coalesce(k.expected_close_at, 'infinity'::timestamptz)`,
    },
    stage_entered_at: { sql: 'k.stage_entered_at', type: 'time', isNullable: true },
    closed_at: { sql: 'k.closed_at', type: 'time', isNullable: true },
    created_at: { sql: 'k.created_at', type: 'time', isSortable: true },
    updated_at: { sql: 'k.updated_at', type: 'time', isSortable: true },
  },
  objects: { custom_fields: { sql: 'k.custom_fields' } },
  names: {},
  search: { text: 'k.search', words: 'k.title' },
};

/** Throws 400 for filters that are not a JSON array, 422 for invalid filters, and for the order of a stage without the stage. */
export function readDealListing(request: ListRequest): Listing {
  const listing = readListing('deals', dealFields, request);
  const isOfStage = listing.conditions.some(({ name, operator }) => name === 'stage_id' && operator === 'eq');
  if (listing.keys.some(({ name }) => name === 'position') && !isOfStage)
    throw invalidField(
      'sort',
      'position is the order within a stage: give stage_id too',
      'sort.stage',
      request.location ?? 'query',
    );
  return listing;
}

export const dealTable: ListedTable = {
  name: 'deals',
  fields: dealFields,
  columns: dealColumns,
  where: 'k.deleted_at is null',
};

export const listDeals = (
  reads: Reads,
  { organizationId }: Pick<Own, 'organizationId'>,
  listing: Listing,
  page: ListPage & { includeTotal?: boolean },
): Promise<ListRows<DealRow>> => listRows(reads, dealTable, organizationId, listing, page);
