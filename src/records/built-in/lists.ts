import { contactFields, readContactListing } from '../../contacts/list.ts';
import { type ContactRow, contactColumns } from '../../contacts/queries.ts';
import type { DealRow } from '../../deals/deal-row.ts';
import { dealTable, readDealListing } from '../../deals/list.ts';
import { type ConversationRow, conversationColumns } from '../../messaging/inbox/conversation-row.ts';
import { conversationFields, readConversationListing } from '../../messaging/inbox/list.ts';
import type { Scope } from '../../organizations/scopes.ts';
import type { Listing, ListRequest } from '../../platform/listing/listing.ts';
import type { ListedTable } from '../../platform/listing/table.ts';
import { readTaskListing, taskTable } from '../../tasks/list.ts';
import type { TaskRow } from '../../tasks/task-row.ts';
import { contactName, conversationName } from '../display-names.ts';
import type { BuiltInKind } from '../types/names.ts';

/** How the generic list reads a kind that has its own table. `path`: where its objects are written. */
export type BuiltInList = {
  table: ListedTable;
  read(request: ListRequest): Listing;
  scope: Scope;
  path: string;
};

type Named<Row> = Row & { display_name: string };
export type BuiltInRows = {
  contact: Named<ContactRow>;
  conversation: Named<ConversationRow>;
  deal: DealRow;
  task: TaskRow;
};

/** A kind is one entry here and one in api/crm/built-in-views.ts. */
export const builtInLists: Record<BuiltInKind, BuiltInList> = {
  contact: {
    table: { name: 'contacts', fields: contactFields, columns: `${contactColumns}, ${contactName('k')} as display_name` },
    read: readContactListing,
    scope: 'contacts:read',
    path: '/v1/contacts',
  },
  conversation: {
    table: {
      name: 'conversations',
      fields: conversationFields,
      columns: `${conversationColumns}, ${conversationName('k')} as display_name`,
    },
    read: readConversationListing,
    scope: 'conversations:read',
    path: '/v1/conversations',
  },
  deal: { table: dealTable, read: readDealListing, scope: 'crm:read', path: '/v1/crm/deals' },
  task: { table: taskTable, read: (request) => readTaskListing(request), scope: 'crm:read', path: '/v1/crm/tasks' },
};
