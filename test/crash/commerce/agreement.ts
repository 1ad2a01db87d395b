import { expect } from '@jest/globals';
import { query } from '../../../src/platform/database/query.ts';
import type { Stack } from '../stack.ts';
import type { Life } from './lives.ts';
import type { PayProvider } from './shop.ts';

/** What a provider has. Stripe's amounts of rupiah are minor units, Xendit's are whole. */
export type There = {
  sessions: {
    provider: PayProvider;
    id: string;
    status: string;
    reference: string;
    payment: { amount: number; refunded: number } | null;
  }[];
  refunds: { id: string; provider: PayProvider; amount: number; status: string }[];
};
export const paymentsThere = (stack: Stack) => stack.control<There>('GET', '/payments');
const minor = (provider: PayProvider, amount: number) => (provider === 'xendit' ? amount * 100 : amount);
const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0);
const sorted = (texts: string[]) => texts.sort((one, other) => (one < other ? -1 : 1));

const rowsOf = <Row>(stack: Stack, text: string) => query<Row>(stack.database.em(), text);

const captured = `
  select s.reference_id as reference, p.amount::float8 as amount
    from payments p
    join payment_sessions s on s.organization_id = p.organization_id and s.id = p.session_id`;
const given = 'select provider_refund_id as id, amount::float8 as amount, status from refunds';
const sums = `
  select o.id
    from orders o
   where o.paid_amount <> (select coalesce(sum(amount), 0) from payments p where p.organization_id = o.organization_id and p.order_id = o.id)
      or o.refunded_amount <> (select coalesce(sum(amount), 0) from refunds r where r.organization_id = o.organization_id and r.order_id = o.id)`;

/** Each payment there is one payment here, each refund one refund, and an order's sums are those of its rows. */
export async function expectMoneyAgrees(stack: Stack, lives: Life[]): Promise<void> {
  const there = await paymentsThere(stack);
  const paid = there.sessions.flatMap(({ provider, reference, payment }) =>
    payment ? [{ reference, amount: minor(provider, payment.amount) }] : [],
  );
  const counted = await rowsOf<{ reference: string; amount: number }>(stack, captured);
  const lineOf = ({ reference, amount }: { reference: string; amount: number }) => `${reference} ${amount}`;
  expect(sum(counted.map(({ amount }) => amount))).toBe(sum(paid.map(({ amount }) => amount)));
  expect(sorted(counted.map(lineOf))).toEqual(sorted(paid.map(lineOf)));

  const refunds = await rowsOf<{ id: string; amount: number; status: string }>(stack, given);
  const refundLine = ({ id, amount, status }: { id: string; amount: number; status: string }) => `${id} ${amount} ${status}`;
  const refundsThere = there.refunds.map((refund) => ({ ...refund, amount: minor(refund.provider, refund.amount) }));
  expect(refunds.length).toBe(sum(lives.map((life) => life.refunds.length)));
  expect(sorted(refunds.map(refundLine))).toEqual(sorted(refundsThere.map(refundLine)));
  expect(refunds.filter(({ status }) => status !== 'succeeded')).toEqual([]);
  expect(await rowsOf(stack, sums)).toEqual([]);
}

/** One parcel an order, which the shipper knows under our id. */
export async function expectParcelsAgree(stack: Stack, lives: Life[]): Promise<void> {
  const { shipments } = await stack.control<{ shipments: { id: string; reference_id: string; status: string }[] }>(
    'GET',
    '/shipments',
  );
  const rows = await rowsOf<{ id: string; order_id: string; there: string; status: string }>(
    stack,
    'select id, order_id, shipper_order_id as there, status from shipments',
  );
  expect(sorted(rows.map(({ order_id }) => order_id))).toEqual(sorted(lives.map(({ orderId }) => orderId)));
  expect(rows.filter(({ status }) => status !== 'delivered')).toEqual([]);
  expect(shipments.filter(({ status }) => status !== 'delivered')).toEqual([]);
  expect(sorted(shipments.map(({ id, reference_id }) => `${reference_id} ${id}`))).toEqual(
    sorted(rows.map(({ id, there }) => `${id} ${there}`)),
  );
}

type Entry = {
  id: string;
  status: string;
  start: { dateTime: string };
  extendedProperties: { private: { kanal_booking: string } };
  conferenceData?: object;
};

/** One live event for each live booking, with its hour and its room; none for any other. */
export async function expectCalendarAgrees(stack: Stack, lives: Life[]): Promise<void> {
  const { events } = await stack.control<{ events: Entry[] }>('GET', '/calendar/events');
  const bookings = await rowsOf<{ id: string; order_id: string; status: string; calendar: string }>(
    stack,
    `select b.id, b.order_id, b.status, c.status as calendar
       from bookings b join booking_calendars c on c.organization_id = b.organization_id and c.booking_id = b.id`,
  );
  const orderOf = new Map(bookings.map(({ id, order_id }) => [id, order_id]));
  const shown = events
    .filter(({ status }) => status !== 'cancelled')
    .map(({ start, extendedProperties, conferenceData }) => {
      const order = orderOf.get(extendedProperties.private.kanal_booking);
      return `${order} ${new Date(start.dateTime).toISOString()} ${conferenceData ? 'with' : 'without'} room`;
    });
  const wanted = lives.filter(({ isBooked }) => isBooked).map(({ orderId, startsAt }) => `${orderId} ${startsAt} with room`);
  expect(sorted(shown)).toEqual(sorted(wanted));
  const statuses = new Map(bookings.map(({ order_id, status, calendar }) => [order_id, `${status} ${calendar}`]));
  for (const { orderId, isBooked } of lives)
    expect([orderId, statuses.get(orderId)]).toEqual([orderId, isBooked ? 'confirmed synced' : 'cancelled synced']);
}

const unsettled = `
  select 'session' as what, id::text, status from payment_sessions where status in ('creating', 'open', 'unknown')
  union all select 'refund', id::text, status from refunds where status = 'pending'
  union all select 'shipment', id::text, status from shipments where status in ('creating', 'confirmed', 'cancelling')
  union all select 'calendar', booking_id::text, status from booking_calendars where status in ('pending', 'failed')
  union all select 'webhook', id::text, status from connection_webhooks where status = 'received'
  union all select 'order', id::text, status from orders where status <> 'completed'
  union all select 'connection', id::text, status from connections where status <> 'connected'
  union all select name, id::text, state from jobs where name ~ '^(commerce|connections)\\.' and state <> 'done'`;

/** Nothing waits for anything any more, and no job has failed for good. */
export const openWork = (stack: Stack) => rowsOf<{ what: string; id: string; status: string }>(stack, unsettled);

const stockStatement = `
  select v.on_hand::int as on_hand, v.reserved::int as reserved,
         (select sum(i.quantity)::int from order_items i where i.organization_id = v.organization_id and i.variant_id = v.id) as sold
    from product_variants v
   where v.tracks_stock`;

export async function expectStockAgrees(stack: Stack, before: number): Promise<void> {
  const [stock] = await rowsOf<{ on_hand: number; reserved: number; sold: number }>(stack, stockStatement);
  expect(stock).toEqual({ on_hand: before - stock!.sold, reserved: 0, sold: stock!.sold });
}
