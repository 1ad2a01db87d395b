import { getOrder, orderLock } from '../../../src/commerce/orders/order-row.ts';
import { applyPage } from '../../../src/commerce/payments/apply-page.ts';
import { endSession, isOver, leaveSession } from '../../../src/commerce/payments/end-session.ts';
import { cancelPaymentSessionJob } from '../../../src/commerce/payments/jobs.ts';
import { findSession, isLive, openSessions, type SessionRow } from '../../../src/commerce/payments/session-row.ts';
import { now } from '../../../src/platform/time/clock.ts';
import { repeatsUnderKey } from '../../../src/providers/payment/provider.ts';
import { withConnection } from '../../connections/with-connection.ts';
import { handleCalls, type Outcome, type RunContext } from '../../handler.ts';
import { callsAt, newPage, providerName } from './pages.ts';

const processingMs = 600_000;

/**
 * Ends a session at the provider, and applies what became of it: money that came meanwhile too. Undefined: it has ended; else how this run
 * ends, because it may still be paid.
 */
export async function endThere(
  context: RunContext<unknown>,
  session: SessionRow,
  endedAs: 'cancelled' | 'expired',
): Promise<Outcome | undefined> {
  const { own, transact } = context;
  const locks = [orderLock(session.order_id)];
  const ended: Outcome = { kind: 'done' };
  const outcome = await withConnection(context, session.connection_id, {
    async gone() {
      await transact({ locks }, (tx) => leaveSession(tx.own, session.id, endedAs));
      return ended;
    },
    async work(at) {
      const calls = callsAt(context, at);
      let id = session.provider_session_id;
      if (id === null && session.asked_at !== null && repeatsUnderKey[providerName(at)].createPage)
        id = (await calls.create(newPage(session, await getOrder(own, session.order_id)))).id;
      const page = id === null ? undefined : await calls.close(id);
      await transact({ locks }, async (tx) => {
        if (page) await applyPage(tx.own, session.id, page, { endedAs });
        else await endSession(tx.own, session.id, session.asked_at === null || id !== null ? endedAs : 'unknown');
      });
      const now = await findSession(own, session.id);
      if (!now || !isLive(now)) return ended;
      return context.wait(processingMs, { reason: `the page is ${page?.status}` });
    },
  });
  return outcome === ended ? undefined : outcome;
}

/** All of an order that nobody is to pay any more. */
export async function endUnwanted(context: RunContext<unknown>, orderId: string): Promise<Outcome | undefined> {
  for (const session of await openSessions(context.own, orderId)) {
    if (!session.is_unwanted || !isLive(session)) continue;
    const outcome = await endThere(context, session, isOver(session, now()) ? 'expired' : 'cancelled');
    if (outcome) return outcome;
  }
  return undefined;
}

export const cancelPaymentSession = handleCalls(
  cancelPaymentSessionJob,
  async ({ order_id }, context) => (await endUnwanted(context, order_id)) ?? context.finish(),
);
