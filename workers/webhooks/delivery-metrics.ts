import { Counter, type Registry } from 'prom-client';
import { errorClasses, type SendErrorClass } from '../../src/webhooks/sender.ts';

/** By what became of the delivery's job. */
const outcomes = { done: 'succeeded', again: 'retrying', wait: 'retrying', failed: 'failed', stale: 'stale' } as const;

export type DeliveryMetrics = {
  /** An attempt has ended. */
  attempted(end: keyof typeof outcomes, errorClass: SendErrorClass | undefined): void;
};

export function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const attempts = new Counter({
    name: 'kanal_webhook_attempts_total',
    help: 'Attempts of webhook deliveries by what became of the delivery: succeeded, retrying (tried again later), failed (for good), stale (another run has ended it); error_class: none, or why the attempt failed',
    labelNames: ['outcome', 'error_class'],
    registers: [registry],
  });
  // From the start, so that a rate sees the first of them.
  for (const error_class of errorClasses) for (const outcome of ['retrying', 'failed']) attempts.inc({ outcome, error_class }, 0);
  attempts.inc({ outcome: 'succeeded', error_class: 'none' }, 0);
  return {
    attempted: (end, errorClass) => attempts.inc({ outcome: outcomes[end], error_class: errorClass ?? 'none' }),
  };
}
