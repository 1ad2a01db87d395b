import { invalidField } from '../platform/errors.ts';

export const amountNeeded = 'A new currency needs its amount: the minor units of the stored one are another sum there';

/** Throws 422 at an amount that is stored, is not 0, and is absent in a change of its currency. */
export function assertAmountsWithCurrency(
  { from, to }: { from: string | null; to: string | null | undefined },
  amounts: { field: string; stored: string | null; isNamed: boolean }[],
): void {
  if (to === undefined || to === null || to === from) return;
  const missing = amounts.find(({ stored, isNamed }) => stored !== null && BigInt(stored) !== 0n && !isNamed);
  if (missing) throw invalidField(missing.field, amountNeeded, 'amount.required');
}
