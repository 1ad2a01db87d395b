import { applyPage } from '../../../src/commerce/payments/apply-page.ts';
import { watchSession } from '../../../src/commerce/payments/ask-session.ts';
import { claimSession, replaceLost, unclaim } from '../../../src/commerce/payments/claim-session.ts';
import { endSession } from '../../../src/commerce/payments/end-session.ts';
import { createPaymentSessionJob } from '../../../src/commerce/payments/jobs.ts';
import { openSessions, type SessionRow } from '../../../src/commerce/payments/session-row.ts';
import { connectionDeleted } from '../../../src/connections/deleted.ts';
import { ProviderBusy, ProviderError, ProviderRefused, ProviderUnknown } from '../../../src/providers/errors.ts';
import { type Page, repeatsUnderKey } from '../../../src/providers/payment/provider.ts';
import { type AtConnection, withConnection } from '../../connections/with-connection.ts';
import { handleCalls, type Outcome, type RunContext } from '../../handler.ts';
import { endUnwanted } from './end-unwanted.ts';
import { callsAt, newPage, providerName } from './pages.ts';

const paid = { code: 'conflict', message: 'The order was paid or cancelled meanwhile' };

export const createPaymentSession = handleCalls(createPaymentSessionJob, async ({ order_id }, context) => {
  const outcome = await endUnwanted(context, order_id);
  if (outcome) return outcome;
  const session = (await openSessions(context.own, order_id)).find(({ status }) => status === 'creating');
  if (!session) return context.finish();
  return withConnection(context, session.connection_id, {
    gone: () => context.fail(connectionDeleted),
    work: (at) => make(context, at, session),
  });
});

async function make(context: RunContext<unknown>, at: AtConnection, found: SessionRow): Promise<Outcome> {
  const isRepeatable = repeatsUnderKey[providerName(at)].createPage;
  const timeoutMs = context.config.providerTimeoutMs;
  const claim = await claimSession(context.transact, found, { timeoutMs, isRepeatable });
  if (claim.kind === 'wait') return context.wait(claim.ms, { reason: 'another run is asking' });
  if (claim.kind === 'over') return context.wait(0, { reason: 'it was called off' });
  if (claim.kind === 'paid') return context.fail(paid, { work: ({ own }) => endSession(own, found.id, 'cancelled') });
  const { session, order } = claim;
  let page: Page;
  try {
    page = await callsAt(context, at).create(newPage(session, order));
  } catch (error) {
    if (isRepeatable || !(error instanceof ProviderError)) throw error;
    return afterFault(context, session, error);
  }
  return context.finish(async ({ own }) => {
    await applyPage(own, session.id, page);
    watchSession(own, session);
  });
}

/** Of a provider that cannot be asked for the same again. */
async function afterFault(context: RunContext<unknown>, session: SessionRow, error: ProviderError): Promise<Outcome> {
  if (error instanceof ProviderUnknown)
    return context.again(
      { code: 'outcome_unknown', message: error.message, provider_code: error.providerCode },
      { work: async ({ own }) => void (await replaceLost(own, session)) },
    );
  const isFinal = error instanceof ProviderRefused && !error.stopsChannel;
  if (isFinal || error instanceof ProviderBusy || error instanceof ProviderRefused) {
    // What is thrown on is sorted by `withConnection`.
    if (!isFinal) await context.transact({ locks: [context.row.lane!] }, ({ own }) => unclaim(own, session.id));
    throw error;
  }
  const reason = { code: 'provider_failed', message: error.message, provider_code: error.providerCode };
  return context.again(reason, { work: ({ own }) => unclaim(own, session.id) });
}
