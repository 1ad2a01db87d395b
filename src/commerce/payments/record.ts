import { maxWireAmount } from '../../money/steps.ts';
import { AppError } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { afterPayment } from '../orders/moves.ts';
import type { OrderTx } from '../orders/order-tx.ts';
import { assertPayable } from './amounts.ts';
import { Payment } from './payment.entity.ts';
import { tellPayment } from './tell.ts';

export type RecordedPayment = { amount: number; method: string; note?: string; received_at?: string };

/** Money that came without a provider: cash, a transfer. Its id. Throws 422. */
export async function recordPayment(
  order: OrderTx,
  { amount, method, note = '', received_at }: RecordedPayment,
): Promise<string> {
  const { id: orderId, currency, paid_amount } = order.order;
  assertPayable(BigInt(amount), currency);
  assertWritable(BigInt(paid_amount) + BigInt(amount));
  const id = uuidv7();
  const money = { amount: String(amount), currency };
  await order.insert(Payment, {
    ...{ id, order_id: orderId, method, note, actor: order.actor, ...money },
    ...(received_at !== undefined && { received_at }),
  });
  order.set({ payment_method: method });
  tellPayment(order, { orderId, kind: 'payment', id, status: 'received', ...money });
  order.tell('payment', { payment_id: id, ...money });
  // A person who found what was paid at a provider that cannot be asked any more writes it down so.
  order.attend('payment_unanswered', false);
  order.moneyMoved();
  await afterPayment(order);
  return id;
}

function assertWritable(paid: bigint): void {
  if (paid <= maxWireAmount) return;
  const message = `The payments of an order come to at most ${maxWireAmount} minor units`;
  throw new AppError('limit_reached', message, {
    details: [{ field: 'amount', location: 'body', code: 'amount.max', message, value: String(paid) }],
  });
}
