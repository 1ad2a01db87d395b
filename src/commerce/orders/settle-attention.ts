import type { SettledByHand } from './attention.ts';
import type { OrderTx } from './order-tx.ts';

/** A person has looked at it. What is not raised stays so. */
export function settleAttention(order: OrderTx, code: SettledByHand): void {
  if (!order.order.attention.includes(code)) return;
  order.attend(code, false);
  order.tell('attention', { settled: code });
}
