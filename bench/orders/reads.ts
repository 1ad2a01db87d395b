import { freeSlots } from '../../src/commerce/bookings/free-slots.ts';
import { listOrders, readOrderListing } from '../../src/commerce/orders/list.ts';
import { showOrder } from '../../src/commerce/orders/shown.ts';
import { ownRows } from '../../src/platform/database/own.ts';
import { beginOf, type ListRequest } from '../../src/platform/listing/listing.ts';
import { unbounded } from '../contacts/plan.ts';
import { farPage, pageSize, type ScaleRead } from '../scale-reads.ts';
import type { Owner } from './dataset.ts';
import { commonName, domain } from './order-rows.ts';

/** Of the owner's, others for each request. */
export type Asked = {
  owner: Owner;
  cursor: string;
  orderId: string;
  bookedId: string;
  contactId: string;
  orderNo: string;
  phone: string;
  email: string;
  rareName: string;
  serviceId: string;
};

type Read = ScaleRead<Asked>;

const same = { ratio: 1.5 };
const quick = { ms: 50 };

const get = (name: string, idOf: (asked: Asked) => string): Read => ({
  name,
  aim: same,
  path: (asked) => `/v1/commerce/orders/${idOf(asked)}`,
  run: (source, asked) => showOrder(ownRows(source, asked.owner.organizationId), idOf(asked)),
});

const list = (
  name: string,
  aim: Read['aim'],
  queryOf: (asked: Asked) => ListRequest,
  more: Pick<Read, 'isFar' | 'mayBeEmpty'> = {},
): Read => ({
  name: `orders${name}${more.isFar ? `, page ${farPage}` : ''}`,
  aim,
  ...more,
  path: (asked, limit = pageSize) =>
    `/v1/commerce/orders?${new URLSearchParams({ ...(queryOf(asked) as object), limit: String(limit), ...(asked.cursor && { cursor: asked.cursor }) })}`,
  run(source, asked) {
    const listing = readOrderListing(queryOf(asked));
    const after = asked.cursor ? beginOf(listing, asked.cursor) : undefined;
    return listOrders(unbounded(source), asked.owner, listing, { limit: pageSize, after });
  },
});

type Filter = [field: string, operator: string, value: unknown];
const by = (...filters: Filter[]) => ({
  filters: JSON.stringify(filters.map(([field, operator, value]) => ({ field, operator, value }))),
});
const daysOn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const month = [daysOn(-400), daysOn(-370)];
const far = { isFar: true };

const slotQuery = { from: daysOn(1).slice(0, 10), to: daysOn(31).slice(0, 10) };

export const reads: Read[] = [
  get('get an order', ({ orderId }) => orderId),
  get('get an order with a booking', ({ bookedId }) => bookedId),
  list('', same, () => ({})),
  list('', same, () => ({}), far),
  list(' by the delivery date', same, () => ({ sort: 'delivery_date' })),
  list(' by the delivery date', same, () => ({ sort: 'delivery_date' }), far),
  list(', completed', same, () => by(['status', 'eq', 'completed'])),
  list(', cancelled', same, () => by(['status', 'eq', 'cancelled'])),
  list(', shipped', same, () => by(['status', 'eq', 'shipped'])),
  list(', paid', same, () => by(['payment_status', 'eq', 'paid'])),
  list(', refunded', same, () => by(['payment_status', 'eq', 'refunded'])),
  list(', failed', same, () => by(['payment_status', 'eq', 'failed'])),
  list(' of a contact', same, ({ contactId }) => by(['contact_id', 'eq', contactId])),
  list(' of a month', same, () => by(['created_at', 'between', month])),
  list(' until a year ago', same, () => by(['created_at', 'lt', daysOn(-365)])),
  list(' by their number', same, ({ orderNo }) => by(['order_no', 'eq', orderNo])),
  list(' that need a look', same, () => by(['attention', 'is_not_empty', undefined])),
  list(', a status and a payment status', same, () => by(['status', 'eq', 'completed'], ['payment_status', 'eq', 'refunded'])),
  list(', a status of a month', same, () => by(['status', 'eq', 'cancelled'], ['created_at', 'between', month])),
  list(', a status of a contact', quick, ({ contactId }) => by(['status', 'eq', 'completed'], ['contact_id', 'eq', contactId])),
  list(', two that exclude each other', quick, () => by(['status', 'eq', 'shipped'], ['payment_status', 'eq', 'refunded']), {
    mayBeEmpty: true,
  }),
  list(' by a word in each', quick, () => ({ search: domain })),
  list(' by a common name', quick, () => ({ search: commonName })),
  list(' by a rare name', quick, ({ rareName }) => ({ search: rareName })),
  list(' by a rare name and a word in each', quick, ({ rareName }) => ({ search: `${rareName} example` })),
  list(' by their number, searched', quick, ({ orderNo }) => ({ search: orderNo })),
  list(' by a phone', quick, ({ phone }) => ({ search: phone })),
  list(' by the end of a phone', quick, ({ phone }) => ({ search: phone.slice(-6) })),
  list(' by an email', quick, ({ email }) => ({ search: email })),
  list(' by a word in none', quick, () => ({ search: 'Zwiebelkuchen' }), { mayBeEmpty: true }),
  list(' by a common name, cancelled', quick, () => ({ search: commonName, ...by(['status', 'eq', 'cancelled']) })),
  list(' by a rare name, completed', quick, ({ rareName }) => ({ search: rareName, ...by(['status', 'eq', 'completed']) })),
  {
    name: 'slots of a month',
    aim: same,
    path: ({ serviceId }) => `/v1/commerce/services/${serviceId}/slots?${new URLSearchParams(slotQuery)}`,
    run: (source, { owner, serviceId }) => freeSlots(ownRows(source, owner.organizationId), serviceId, slotQuery),
  },
];
