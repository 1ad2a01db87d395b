import type { Fields } from '../platform/listing/fields.ts';
import { type Listing, type ListRequest, readListing } from '../platform/listing/listing.ts';
import { type ListPage, type ListRows, listRows } from '../platform/listing/page.ts';
import type { Reads } from '../platform/listing/reads.ts';
import type { ListedTable } from '../platform/listing/table.ts';
import { flowStatuses } from './flow.entity.ts';
import { type FlowSummary, hasLocalChanges, summaryColumns } from './flow-row.ts';

export const flowFields: Fields = {
  columns: {
    id: { sql: 'k.id', type: 'id' },
    name: { sql: 'k.name', type: 'text', isUnindexed: true },
    status: { sql: 'k.status', type: 'choice', values: flowStatuses },
    category: { sql: 'k.category', type: 'text', isUnindexed: true },
    channel_id: { sql: 'k.channel_id', type: 'id', isNullable: true },
    has_local_changes: { sql: hasLocalChanges, type: 'boolean', isUnindexed: true },
    created_at: { sql: 'k.created_at', type: 'time', isSortable: true },
    updated_at: { sql: 'k.updated_at', type: 'time', isSortable: true },
  },
  objects: {},
  names: {},
  search: { text: 'k.search', words: 'k.name' },
};

/** One that is being deleted is not shown any more. */
const flowTable: ListedTable = {
  name: 'flows',
  fields: flowFields,
  columns: summaryColumns,
  where: `k.doing is distinct from 'delete'`,
};

/** Throws 400 for filters that are not a JSON array, 422 for invalid ones. */
export const readFlowListing = (request: ListRequest): Listing => readListing('flows', flowFields, request);

/** Without the documents. */
export const listFlows = (
  reads: Reads,
  organizationId: string,
  listing: Listing,
  page: ListPage & { includeTotal?: boolean },
): Promise<ListRows<FlowSummary>> => listRows(reads, flowTable, organizationId, listing, page);
