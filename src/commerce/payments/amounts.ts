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

/** Throws 422 where the provider cannot express the amount exactly, before anybody is asked. */
export function assertExpressible(provider: PaymentProviderName, amount: string, currency: string): void {
  try {
    unitsOf(provider, decimal(amount, currency), currency);
  } catch (error) {
    if (!(error instanceof ProviderRefused)) throw error;
    throw new AppError('provider_refused', error.message, {
      details: [{ field: 'connection_id', location: 'body', code: error.providerCode ?? 'amount', message: error.message }],
    });
  }
}
