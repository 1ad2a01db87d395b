import type { OrderRow } from '../../../src/commerce/orders/order-row.ts';
import { decimal } from '../../../src/commerce/payments/amounts.ts';
import type { SessionRow } from '../../../src/commerce/payments/session-row.ts';
import type { NewPage, PaymentProvider, PaymentProviderName } from '../../../src/providers/payment/provider.ts';
import type { AtConnection } from '../../connections/with-connection.ts';
import type { RunContext } from '../../handler.ts';

export const providerName = ({ account }: AtConnection) => account.provider as PaymentProviderName;

/** The provider's calls with the connection's credentials, each in a turn of its own. */
export function callsAt({ providers }: RunContext<unknown>, at: AtConnection) {
  const provider: PaymentProvider = providers.payments[providerName(at)];
  const { credentials } = at.account;
  return {
    create: (page: NewPage) => at.call(() => provider.createPage(credentials, page)),
    read: (id: string) => at.call(() => provider.readPage(credentials, id)),
    close: (id: string) => at.call(() => provider.closePage(credentials, id)),
    refund: (refund: Parameters<PaymentProvider['refund']>[1]) => at.call(() => provider.refund(credentials, refund)),
    readRefund: (id: string) => at.call(() => provider.readRefund(credentials, id)),
  };
}

/** The same each time: Stripe refuses another body under a key that it knows. */
export const newPage = (session: SessionRow, order: OrderRow): NewPage => ({
  reference: session.reference_id,
  orderNo: order.order_no,
  amount: decimal(session.amount, session.currency),
  currency: session.currency,
  customer: { name: order.customer_name, email: order.customer_email, phone: order.customer_phone },
  successUrl: session.success_url,
  cancelUrl: session.cancel_url,
  expiresAt: new Date(session.expires_at),
});
