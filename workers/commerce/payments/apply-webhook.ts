import { orderLock } from '../../../src/commerce/orders/order-row.ts';
import { applyPage } from '../../../src/commerce/payments/apply-page.ts';
import { refundOfHint, sessionOfHint } from '../../../src/commerce/payments/of-hint.ts';
import { applyRefund } from '../../../src/commerce/payments/settle-refund.ts';
import type { PaymentHint } from '../../../src/providers/payment/provider.ts';
import { hintOf } from '../../../src/providers/payment/signatures.ts';
import type { AtConnection } from '../../connections/with-connection.ts';
import type { RunContext } from '../../handler.ts';
import { callsAt, providerName } from './pages.ts';

/**
 * The body says only where to look: session and refund are read at the provider, and applied under the order's lock. Safe to run twice, beside
 * others, and in any order.
 */
export async function applyPaymentWebhook(
  context: RunContext<unknown>,
  at: AtConnection,
  rawBody: Buffer,
): Promise<'applied' | 'unknown'> {
  const hint = hintOf[providerName(at)](parsed(rawBody));
  const isRefund = hint.refundId !== undefined || hint.refundKey !== undefined;
  return (await (isRefund ? applyToRefund : applyToSession)(context, at, hint)) ? 'applied' : 'unknown';
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

async function applyToSession(context: RunContext<unknown>, at: AtConnection, hint: PaymentHint): Promise<boolean> {
  const session = await sessionOfHint(context.own, at.account.id, hint);
  const pageId = session?.provider_session_id ?? hint.pageId;
  if (!session || pageId === undefined) return false;
  const page = await callsAt(context, at).read(pageId);
  // The reference in the body was only said: the provider's own word decides whose page it is.
  if (page?.reference !== session.reference_id) return false;
  await context.transact({ locks: [orderLock(session.order_id)] }, ({ own }) => applyPage(own, session.id, page));
  return true;
}

async function applyToRefund(context: RunContext<unknown>, at: AtConnection, hint: PaymentHint): Promise<boolean> {
  const refund = await refundOfHint(context.own, at.account.id, hint);
  const id = refund?.provider_refund_id ?? hint.refundId;
  const there = refund && id !== undefined ? await callsAt(context, at).readRefund(id) : undefined;
  if (!refund || !there || there.key !== refund.id) return false;
  await context.transact({ locks: [orderLock(refund.order_id)] }, ({ own }) => applyRefund(own, refund.id, there));
  return true;
}
