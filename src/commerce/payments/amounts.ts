import { asDecimal, minorOf } from '../../money/amounts.ts';
import { isCurrency } from '../../money/currencies.ts';
import { isPayable, notPayable } from '../../money/steps.ts';
import { AppError, invalidField } from '../../platform/errors.ts';
import { ProviderRefused } from '../../providers/errors.ts';
import { unitsOf } from '../../providers/payment/exponents.ts';
import type { PaymentProviderName, Received } from '../../providers/payment/provider.ts';

/** As the provider's adapter takes it. */
export const decimal = (amount: string, currency: string) => asDecimal({ minor: BigInt(amount), currency });

/** What a provider says was paid, in minor units; undefined: it is no amount of a currency that we know. */
export const receivedMinor = ({ amount, currency }: Received): string | undefined =>
  isCurrency(currency) ? minorOf(amount, currency) : undefined;

/** Throws 422 for what nobody can hand over. */
export function assertPayable(amount: bigint, currency: string): void {
  if (!isPayable(amount, currency)) throw invalidField('amount', notPayable(currency), 'amount.step');
}

/**
 * Why none of the providers that take the currency can express the amount; undefined: one can, none takes the currency, or nothing is to be
 * paid. An order in a currency that no provider takes is paid another way.
 */
export function inexpressible(providers: PaymentProviderName[], amount: bigint, currency: string): string | undefined {
  if (amount === 0n) return undefined;
  const refusals = providers
    .map((provider) => refusalOf(provider, String(amount), currency))
    .filter((refusal) => refusal?.providerCode !== 'currency');
  if (refusals.length === 0 || refusals.includes(undefined)) return undefined;
  return refusals.map((refusal) => refusal!.message).join('; ');
}

function refusalOf(provider: PaymentProviderName, amount: string, currency: string): ProviderRefused | undefined {
  try {
    unitsOf(provider, decimal(amount, currency), currency);
    return undefined;
  } catch (error) {
    if (error instanceof ProviderRefused) return error;
    throw error;
  }
}

/** Throws 422 where the provider cannot express the amount exactly, before anybody is asked. */
export function assertExpressible(provider: PaymentProviderName, amount: string, currency: string): void {
  const refusal = refusalOf(provider, amount, currency);
  if (!refusal) return;
  throw new AppError('provider_refused', refusal.message, {
    details: [{ field: 'connection_id', location: 'body', code: refusal.providerCode ?? 'amount', message: refusal.message }],
  });
}
