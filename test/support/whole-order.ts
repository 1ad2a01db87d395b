import type { Body } from './app.ts';

/** Of the spec: always there. */
const required = [
  ...['id', 'order_no', 'status', 'customer_phone', 'delivery_fee_amount', 'discount_amount', 'subtotal_amount', 'total_amount'],
];

const ofSpec = [
  ...required,
  ...['organization_id', 'contact_id', 'draft_order_id', 'created_at', 'customer_name', 'customer_email', 'delivery_date'],
  ...['delivery_timeslot', 'delivery_method', 'delivery_method_id', 'payment_method', 'referral_code', 'notes'],
  ...['fulfillment_carrier', 'fulfillment_notes', 'tracking_number', 'tracking_url', 'source_reference', 'shipping_address'],
  'shipping_metadata',
];

const isNullWithin = (value: unknown): boolean =>
  value === null || (typeof value === 'object' && Object.values(value).some(isNullWithin));

const sumOf = (items: Body[], of: (item: Body) => number) => items.reduce((sum, item) => sum + of(item), 0);

/** What holds of every order, whatever happened to it: in words, what of that does not. */
export function faultsOfOrder(order: Body): string[] {
  const { items, subtotal_amount: subtotal, discount_amount: discount, delivery_fee_amount: fee, total_amount: total } = order;
  const sums: [string, boolean][] = [
    ['total = subtotal − discount + fee', total === subtotal - discount + fee],
    ['total = Σ items + fee', total === sumOf(items, (item) => item.total_amount) + fee],
    ['subtotal = Σ unit × quantity', subtotal === sumOf(items, (item) => item.unit_amount * item.quantity)],
    ['discount = Σ discounts of the items', discount === sumOf(items, (item) => item.discount_amount)],
  ];
  return [
    ...required.filter((field) => order[field] === undefined).map((field) => `${field} is missing`),
    ...ofSpec.filter((field) => isNullWithin(order[field])).map((field) => `${field} is null, or holds a null`),
    ...sums.flatMap(([rule, holds]) => (holds ? [] : [`not ${rule}`])),
  ];
}

/** The order, or the orders of a page, that a reply shows. The customer's own page has no revision: it is not an order. */
export function ordersIn(body: Body): Body[] {
  const isOrder = (one: Body) => typeof one === 'object' && one !== null && 'order_no' in one && 'revision' in one;
  return [body, ...(Array.isArray(body?.items) ? body.items : [])].filter(isOrder);
}
