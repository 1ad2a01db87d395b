import type { Own } from '../../platform/database/own.ts';
import type { Fields } from '../../platform/listing/fields.ts';
import { type Listing, type ListRequest, readListing } from '../../platform/listing/listing.ts';
import { type ListPage, type ListRows, listRows } from '../../platform/listing/page.ts';
import type { Reads } from '../../platform/listing/reads.ts';
import type { ListedTable } from '../../platform/listing/table.ts';
import { attentions } from './attention.ts';
import { orderFulfillmentStatuses, orderPaymentStatuses, orderStatuses } from './order.entity.ts';
import { type ShownOrder, shownColumns } from './shown.ts';

export const orderFields: Fields = {
  columns: {
    id: { sql: 'k.id', type: 'id' },
    status: { sql: 'k.status', type: 'choice', values: orderStatuses },
    payment_status: { sql: 'k.payment_status', type: 'choice', values: orderPaymentStatuses },
    fulfillment_status: { sql: 'k.fulfillment_status', type: 'choice', values: orderFulfillmentStatuses },
    contact_id: { sql: 'k.contact_id', type: 'id', isNullable: true },
    order_no: { sql: 'k.order_no', type: 'text', isKeyed: true },
    delivery_date: {
      sql: 'k.delivery_date',
      type: 'time',
      isSortable: true,
      isNullable: true,
      inOrder: `coalesce(k.delivery_date, 'infinity'::date)`,
    },
    attention: { sql: 'k.attention', type: 'codes', values: attentions },
    created_at: { sql: 'k.created_at', type: 'time', isSortable: true },
  },
  objects: {},
  names: {},
  search: {
    text: 'k.search',
    words: `k.order_no || ' ' || k.customer_name || ' ' || k.customer_phone || ' ' || k.customer_email`,
  },
};

export const readOrderListing = (request: ListRequest): Listing => readListing('orders', orderFields, request);

export const orderTable: ListedTable = { name: 'orders', fields: orderFields, columns: shownColumns };

export const listOrders = (
  reads: Reads,
  { organizationId }: Pick<Own, 'organizationId'>,
  listing: Listing,
  page: ListPage & { includeTotal?: boolean },
): Promise<ListRows<ShownOrder>> => listRows(reads, orderTable, organizationId, listing, page);
