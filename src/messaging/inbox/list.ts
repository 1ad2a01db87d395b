import { bindTo } from '../../platform/listing/bind.ts';
import type { Fields } from '../../platform/listing/fields.ts';
import { type Listing, type ListRequest, listingSql, readListing } from '../../platform/listing/listing.ts';
import { type ListPage, type ListRows, listRows } from '../../platform/listing/page.ts';
import type { Reads } from '../../platform/listing/reads.ts';
import type { ListedTable } from '../../platform/listing/table.ts';
import { type ConversationStatus, conversationStatuses, priorities } from '../conversation.entity.ts';
import { type ConversationRow, conversationColumns, isWindowOpen, lastActivity } from './conversation-row.ts';

/** Custom fields have no index: each message would write to it. */
export const conversationFields: Fields = {
  columns: {
    id: { sql: 'k.id', type: 'id' },
    status: { sql: 'k.status', type: 'choice', values: conversationStatuses },
    assignee_id: { sql: 'k.assignee_id', type: 'id', isNullable: true },
    channel_id: { sql: 'k.channel_id', type: 'id' },
    contact_id: { sql: 'k.contact_id', type: 'id', isNullable: true },
    priority: { sql: 'k.priority', type: 'choice', values: priorities, isUnindexed: true },
    is_window_open: { sql: `(${isWindowOpen})`, type: 'boolean' },
    is_unread: { sql: '(k.unread_count > 0)', type: 'boolean' },
    last_activity_at: { sql: lastActivity, type: 'time', isSortable: true },
    created_at: { sql: 'k.created_at', type: 'time' },
    updated_at: { sql: 'k.updated_at', type: 'time' },
  },
  objects: { custom_fields: { sql: 'k.custom_fields', isUnindexed: true } },
  names: {
    tags: {
      from: `
        conversation_tags a
        join tags t on t.organization_id = a.organization_id and t.id = a.tag_id
       where a.organization_id = k.organization_id and a.conversation_id = k.id`,
      name: 't.name',
      found: {
        column: 'k.id',
        select: (condition) => `
          select a.conversation_id as id
            from conversation_tags a
            join tags t on t.organization_id = a.organization_id and t.id = a.tag_id
           where a.organization_id = $1 and ${condition}`,
      },
    },
  },
  search: {
    text: 'c.search',
    words: 'c.name',
    within: (condition) => `exists (
      select 1
        from contacts c
       where c.organization_id = k.organization_id and c.id = k.contact_id and ${condition})`,
    found: {
      column: 'k.contact_id',
      select: (condition) => `
        select c.id
          from contacts c
         where c.organization_id = $1 and ${condition}`,
    },
  },
};

export const usualOrder = '-last_activity_at';

/** Throws 400 for filters that are not a JSON array, 422 for invalid filters. */
export const readConversationListing = (request: ListRequest): Listing =>
  readListing('conversations', conversationFields, { ...request, usual: usualOrder });

const table: ListedTable = {
  name: 'conversations',
  fields: conversationFields,
  columns: conversationColumns,
  usual: 'last_activity_at',
};

export const listConversations = (
  reads: Reads,
  organizationId: string,
  listing: Listing,
  page: ListPage & { includeTotal?: boolean },
): Promise<ListRows<ConversationRow>> => listRows(reads, table, organizationId, listing, page);

export type StatusCounts = Record<ConversationStatus | 'total', number>;

/** SQL: conditions of any listing. Each conversation is counted, so it takes a place of the organization's share. */
export async function countByStatus(reads: Reads, organizationId: string, listing: Listing): Promise<StatusCounts> {
  const params: unknown[] = [organizationId];
  const { where, rest } = listingSql(table, listing, bindTo(params));
  const text = `
    select k.status, count(*)::int as total
      from conversations k
     where k.organization_id = $1${where}${rest}
     group by k.status`;
  const rows = await reads.dear(organizationId, (ask) => ask<{ status: ConversationStatus; total: number }>(text, params));
  const of = (status: ConversationStatus) => rows.find((row) => row.status === status)?.total ?? 0;
  return {
    open: of('open'),
    pending: of('pending'),
    snoozed: of('snoozed'),
    resolved: of('resolved'),
    total: rows.reduce((sum, { total }) => sum + total, 0),
  };
}
