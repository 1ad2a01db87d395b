import { maxWireAmount, percentOf, spread } from '../money/steps.ts';
import { AppError } from '../platform/errors.ts';

/** Pure. All amounts in minor units of one currency. */
export type Line = { unit: bigint; quantity: number };
/** `value`: basis points of a percentage, an amount of a fixed one. */
export type Reduction = { kind: 'percent' | 'fixed' | 'free_delivery'; value: bigint };
export type Totals = {
  subtotal: bigint;
  discount: bigint;
  fee: bigint;
  total: bigint;
  lines: { discount: bigint; total: bigint }[];
};

/** Free delivery takes the fee away; any other reduction is spread over the lines, which add up. Throws 422 `limit_reached` beyond 2^53-1. */
export function totalsOf({
  currency,
  lines,
  reduction,
  fee: asked,
}: {
  currency: string;
  lines: Line[];
  reduction?: Reduction;
  fee: bigint;
}): Totals {
  const amounts = lines.map(({ unit, quantity }) => unit * BigInt(quantity));
  const subtotal = amounts.reduce((sum, amount) => sum + amount, 0n);
  const discount = reducedBy(reduction, subtotal, currency);
  const fee = reduction?.kind === 'free_delivery' ? 0n : asked;
  const total = subtotal - discount + fee;
  for (const amount of [...amounts, subtotal, fee, total]) assertWritable(amount);
  const discounts = spread(discount, amounts, currency);
  return {
    subtotal,
    discount,
    fee,
    total,
    lines: amounts.map((amount, index) => ({ discount: discounts[index]!, total: amount - discounts[index]! })),
  };
}

function reducedBy(reduction: Reduction | undefined, subtotal: bigint, currency: string): bigint {
  if (!reduction || reduction.kind === 'free_delivery') return 0n;
  const amount = reduction.kind === 'percent' ? percentOf(subtotal, reduction.value, currency) : reduction.value;
  return amount < subtotal ? amount : subtotal;
}

function assertWritable(amount: bigint): void {
  if (amount <= maxWireAmount) return;
  const message = `An order is at most ${maxWireAmount} minor units of its currency`;
  throw new AppError('limit_reached', message, {
    details: [{ field: 'items', location: 'body', code: 'amount.max', message, value: String(amount) }],
  });
}
