import { Histogram, type Registry } from 'prom-client';
import { childrenOf, statusClass } from '../platform/metrics/children.ts';
import type { WebhookSender } from './sender.ts';

export function measuredSender(registry: Registry, sender: WebhookSender): WebhookSender {
  const duration = childrenOf(
    new Histogram({
      name: 'kanal_webhook_attempt_duration_seconds',
      help: 'Attempts of webhook deliveries by the answer (2xx: succeeded), else by the phase that failed: dns, connect, tls, ssrf, timeout, http',
      labelNames: ['result'],
      buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30],
      registers: [registry],
    }),
  );
  return {
    async send(request) {
      const outcome = await sender.send(request);
      duration(outcome.status ? statusClass(outcome.status) : (outcome.errorClass ?? 'http')).observe(outcome.durationMs / 1000);
      return outcome;
    },
    close: () => sender.close(),
  };
}
