import { now } from '../../platform/database/columns.ts';
import { statement } from '../../platform/database/statement.ts';
import { cancelBookingOf, completeBookingOf, confirmBookingOf } from '../bookings/of-order.ts';
import { giveBackDiscount } from '../catalogue/discount-uses.ts';
import { commitStock, releaseStock } from '../catalogue/stock.ts';
import { freeSlot } from '../delivery/slot-usage.ts';
import { refundable } from '../payments/refund-row.ts';
import { CommerceSettings } from '../settings.entity.ts';
import { cancelShipmentOf } from '../shipping/cancel.ts';
import { stateConflict } from '../state-conflict.ts';
import { orderMoves } from '../tallies.ts';
import { raiseFulfillment } from './fulfilment.ts';
import { OrderItem, type OrderStatus } from './order.entity.ts';
import type { OrderRow } from './order-row.ts';
import type { OrderTx } from './order-tx.ts';
import { paymentOf } from './payment-status.ts';

/** What makes an order move. */
export type OrderMove = 'confirm' | 'process' | 'ship' | 'complete' | 'cancel';

/** Who: a caller of the API, money that came in, news of a shipment, the end of the reservation. */
export type MoveCause = 'caller' | 'payment' | 'shipment' | 'time';

type Moves = Record<OrderMove, { to: OrderStatus; from: Partial<Record<MoveCause, OrderStatus[]>> }>;

/** All there are. */
const moves: Moves = {
  confirm: { to: 'confirmed', from: { caller: ['pending'], payment: ['pending'] } },
  process: { to: 'processing', from: { caller: ['confirmed'], shipment: ['confirmed'] } },
  ship: { to: 'shipped', from: { caller: ['confirmed', 'processing'], shipment: ['confirmed', 'processing'] } },
  complete: { to: 'completed', from: { caller: ['shipped'], shipment: ['shipped'] } },
  cancel: { to: 'cancelled', from: { caller: ['pending', 'confirmed', 'processing'], time: ['pending'] } },
};

/** An order of which nothing is sent is complete without having been shipped. */
const completedUnshipped: OrderStatus[] = ['confirmed', 'processing'];

const shippedItem = statement((select, { orderId }: { orderId: string }) =>
  select(OrderItem).select('id').where('order_id', '=', orderId).where('is_shipped', '=', true).limit(1),
);

const isSent = async (tx: OrderTx, { id, delivery_kind }: OrderRow) =>
  (delivery_kind === 'flat' || delivery_kind === 'live') && (await shippedItem(tx, { orderId: id })).length > 0;

async function mayMove(order: OrderTx, move: OrderMove, by: MoveCause): Promise<boolean> {
  const present = order.present();
  if (moves[move].from[by]?.includes(present.status)) return true;
  if (move !== 'complete' || by !== 'caller' || !completedUnshipped.includes(present.status)) return false;
  return !(await isSent(order, present));
}

/**
 * With all that follows: stock, booking, calendar, discount, slot. An order that is there already stays as it is. Throws 409 `conflict`
 * that names both states.
 */
export async function moveOrder(
  order: OrderTx,
  move: OrderMove,
  { reason, by = 'caller' }: { reason?: string; by?: MoveCause } = {},
): Promise<void> {
  const { status } = order.present();
  if (status === moves[move].to) return;
  if (!(await moveIfMay(order, move, { reason, by }))) throw illegalMove(status, moves[move].to);
}

/** For news and clocks, which come late: false, and nothing changes, where the order may not move so. */
export async function moveIfMay(
  order: OrderTx,
  move: OrderMove,
  { reason, by }: { reason?: string; by: MoveCause },
): Promise<boolean> {
  if (!(await mayMove(order, move, by))) return false;
  const { status: from } = order.present();
  const { to } = moves[move];
  order.set({ status: to });
  order.tell('status', { from, to, by });
  order.count(orderMoves, move);
  await follow[move](order, reason);
  return true;
}

const illegalMove = (from: OrderStatus, to: OrderStatus) =>
  stateConflict(`The order is ${from}: it cannot become ${to}`, { value: from });

const follow: Record<OrderMove, (order: OrderTx, reason?: string) => Promise<void> | void> = {
  async confirm(order) {
    order.set({ confirmed_at: now(), reserved_until: null });
    await confirmBookingOf(order, order.order.id);
  },
  process() {},
  async ship(order) {
    order.set({ shipped_at: now() });
    raiseFulfillment(order, 'shipped');
    await commit(order);
  },
  async complete(order) {
    order.set({ completed_at: now() });
    if (order.present().fulfillment_status !== 'unfulfilled') raiseFulfillment(order, 'delivered');
    await commit(order);
    await completeBookingOf(order, order.order.id);
  },
  async cancel(order, reason = '') {
    order.set({ cancelled_at: now(), cancel_reason: reason, reserved_until: null });
    await cancelShipmentOf(order);
    await release(order);
  },
};

async function commit(order: OrderTx): Promise<void> {
  const { id, stock } = order.present();
  if (stock !== 'reserved') return;
  await commitStock(order, id);
  order.set({ stock: 'committed' });
}

/** In the order of locks.ts: discount, slot, variants. */
async function release(order: OrderTx): Promise<void> {
  const { id, stock, discount_id, delivery_timeslot_id, delivery_date } = order.present();
  await cancelBookingOf(order, id);
  if (discount_id !== null) await giveBackDiscount(order, id);
  if (delivery_timeslot_id !== null && delivery_date !== null)
    await freeSlot(order, { timeslotId: delivery_timeslot_id, day: delivery_date });
  if (stock !== 'reserved') return;
  await releaseStock(order, id);
  order.set({ stock: 'released' });
}

const confirmOn = statement((select) => select(CommerceSettings).select('confirm_on'));

/** What confirms an order of this organization; an organization without settings has the defaults. */
export async function isConfirmedByPayment(own: Parameters<typeof confirmOn>[0]): Promise<boolean> {
  const [settings] = await confirmOn(own, {});
  return (settings?.confirm_on ?? 'payment') === 'payment';
}

/**
 * On a cancelled order, money that nobody has asked back: it came before and was left there, it came after, or its refund failed. It is settled
 * only once it is given back (`afterPayment`). Needs rows that are written.
 */
export async function attendLeftMoney(order: OrderTx): Promise<void> {
  if (order.present().status !== 'cancelled') return;
  const payments = await refundable(order, order.order.id);
  if (payments.some(({ left }) => left > 0n)) order.attend('paid_after_cancel', true);
}

/** After `moneyMoved`: a paid order that waits for its payment is confirmed; money for a cancelled one asks for attention. */
export async function afterPayment(order: OrderTx): Promise<void> {
  await order.flush();
  const { status } = order.present();
  const money = await paymentOf(order, order.order);
  if (money.paid_amount === money.refunded_amount) order.attend('paid_after_cancel', false);
  await attendLeftMoney(order);
  if (status === 'pending' && money.payment_status === 'paid' && (await isConfirmedByPayment(order)))
    await moveOrder(order, 'confirm', { by: 'payment' });
}
