import Joi from 'joi';
import { listOrders, orderFields, readOrderListing } from '../../src/commerce/orders/list.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { type ListQuery, listQuery, pageOfListing } from '../http/listing.ts';
import { listOf } from '../http/paging.ts';
import { orderView, tag } from './order-view.ts';
import { toOrderView } from './to-order-view.ts';

export const listOfOrders = endpoint({
  method: 'get',
  path: '/v1/commerce/orders',
  operationId: 'commerce.orders.list',
  tag,
  scope: 'commerce:read',
  summary: 'List orders: search, filter, sort',
  description:
    'The search is of the number, and of the name, the phone and the email of the customer. An order without `delivery_date` comes last by it. What takes too long, `include_total` among it, is a 503 that says so.',
  query: Joi.object<ListQuery>(listQuery(orderFields)),
  responses: { 200: listOf(orderView) },
  example: { query: { filters: '[{"field":"status","value":"confirmed"}]' } },
  async handler({ query, own }, { reads, secrets }) {
    const listing = readOrderListing(query);
    const read = (page: Parameters<typeof listOrders>[3]) => listOrders(reads, own, listing, page);
    const { rows, meta } = await pageOfListing(listing, query, read, (row) => row);
    return ok({ items: rows.map((row) => toOrderView(row, own.organizationId, secrets)), meta });
  },
});
