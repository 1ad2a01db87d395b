import type { ConnectionKind } from '../../src/connections/connection.entity.ts';
import { applyConnectionWebhookJob } from '../../src/connections/jobs.ts';
import { endWebhook, waitingWebhook } from '../../src/connections/webhooks.ts';
import { applyPaymentWebhook } from '../commerce/payments/apply-webhook.ts';
import { applyShipperWebhook } from '../commerce/shipping/apply-webhook.ts';
import { handleCalls, type Outcome, type RunContext } from '../handler.ts';
import { type AtConnection, withConnection } from './with-connection.ts';

export type Applied = 'applied' | 'unknown';

/**
 * A body is a hint of where to look: it reads at the provider, and writes under the order's lock. Twice is once. `unknown`: about nothing of
 * ours.
 */
export type ApplyWebhook = (context: RunContext<unknown>, at: AtConnection, rawBody: Buffer) => Promise<Applied>;

const appliers: Partial<Record<ConnectionKind, ApplyWebhook>> = {
  payment: applyPaymentWebhook,
  shipper: applyShipperWebhook,
};

export const applyConnectionWebhook = handleCalls(applyConnectionWebhookJob, async ({ webhook_id: id }, context) => {
  const [webhook] = await waitingWebhook(context.own, { id });
  if (!webhook) return context.finish();
  const end = (status: Applied): Promise<Outcome> => {
    context.facts.webhook = status;
    return context.finish(({ own }) => endWebhook(own, id, status));
  };
  return withConnection(context, webhook.connection_id, {
    gone: () => end('unknown'),
    async work(at) {
      const apply = appliers[at.account.kind];
      const status = apply ? await apply(context, at, Buffer.from(webhook.body)) : 'unknown';
      context.connectionMetrics.webhook(at.account.provider, status);
      return end(status);
    },
  });
});
