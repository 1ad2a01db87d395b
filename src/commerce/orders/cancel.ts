import { callOffSessions } from '../payments/ask-session.ts';
import { refundAll } from '../payments/refund.ts';
import { cancelShipmentOf } from '../shipping/cancel.ts';
import { attendLeftMoney, moveOrder } from './moves.ts';
import type { OrderTx } from './order-tx.ts';

export type Cancellation = { reason?: string; refund?: boolean };

/**
 * By hand: nobody is to pay or to send it any more, and with `refund` what was paid goes back; what is left asks for attention. Throws 409 once
 * it was shipped.
 */
export async function cancelOrder(order: OrderTx, { reason, refund = false }: Cancellation): Promise<void> {
  await moveOrder(order, 'cancel', { reason });
  await callOffSessions(order);
  await cancelShipmentOf(order);
  if (refund) await refundAll(order, reason ?? '');
  await order.flush();
  await attendLeftMoney(order);
}
