import { orderLock } from '../../../src/commerce/orders/order-row.ts';
import { applyPage } from '../../../src/commerce/payments/apply-page.ts';
import { endSession, isOver, leaveSession } from '../../../src/commerce/payments/end-session.ts';
import { checkPaymentJob } from '../../../src/commerce/payments/jobs.ts';
import { PaymentSession } from '../../../src/commerce/payments/payment.entity.ts';
import { findSession, isLive, type SessionRow } from '../../../src/commerce/payments/session-row.ts';
import { now } from '../../../src/platform/time/clock.ts';
import { type AtConnection, withConnection } from '../../connections/with-connection.ts';
import { handleCalls, type Outcome, type RunContext } from '../../handler.ts';
import { callsAt } from './pages.ts';
import { patiently } from './patiently.ts';

const minuteMs = 60_000;
const looksAfterMs = [2, 10, 30].map((minutes) => minutes * minuteMs);
/** The provider's clock may be a little behind. */
const afterEndMs = 5_000;
const processingMs = 10 * minuteMs;

/** After 2, 10 and 30 minutes, and when its time is over; then on, while the provider calls it unfinished. */
export function nextLookMs({ created_at, expires_at }: Pick<SessionRow, 'created_at' | 'expires_at'>, nowMs: number): number {
  const times = [...looksAfterMs.map((ms) => Date.parse(created_at) + ms), Date.parse(expires_at) + afterEndMs];
  const left = times.map((at) => at - nowMs).filter((ms) => ms > 1_000);
  return left.length > 0 ? Math.min(...left) : processingMs;
}

const hasEnded = (session: SessionRow | undefined) => !session || !(isLive(session) || session.status === 'unknown');

export const checkPayment = handleCalls(checkPaymentJob, ({ session_id: id }, context) =>
  patiently(context, async () => {
    const session = await findSession(context.own, id);
    if (!session || hasEnded(session)) return context.finish();
    if (session.provider_session_id === null) return withoutPage(context, session);
    return withConnection(context, session.connection_id, {
      gone: () => (session.status === 'open' ? left(context, session) : withoutPage(context, session)),
      work: (at) => look(context, at, session),
    });
  }),
);

/** It has no page that anybody knows: it is over when its own time is. */
async function withoutPage(context: RunContext<unknown>, session: SessionRow): Promise<Outcome> {
  if (!isOver(session, now())) return context.wait(Date.parse(session.expires_at) - now() + afterEndMs);
  const looked = { look: async () => undefined, locks: () => [orderLock(session.order_id)] };
  return context.finishLooked(looked, ({ own }) => endSession(own, session.id, 'expired'));
}

const left = (context: RunContext<unknown>, { id, order_id }: SessionRow) =>
  context.finishLooked({ look: async () => undefined, locks: () => [orderLock(order_id)] }, ({ own }) =>
    leaveSession(own, id, 'expired'),
  );

async function look(context: RunContext<unknown>, at: AtConnection, session: SessionRow): Promise<Outcome> {
  const page = await callsAt(context, at).read(session.provider_session_id!);
  await context.transact({ locks: [orderLock(session.order_id)] }, async ({ own }) => {
    await own.update(PaymentSession, { id: session.id }, { checks: session.checks + 1 });
    if (page) await applyPage(own, session.id, page);
    else await endSession(own, session.id, 'expired');
  });
  const after = await findSession(context.own, session.id);
  if (!after || hasEnded(after)) return context.finish();
  return context.wait(nextLookMs(after, now()), { reason: `the page is ${page?.status}` });
}
