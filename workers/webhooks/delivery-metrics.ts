import { Counter, type Registry } from 'prom-client';
import { childrenOf } from '../../src/platform/metrics/children.ts';
import { errorClasses, type SendErrorClass } from '../../src/webhooks/sender.ts';

/** By what became of the delivery's job. */
const outcomes = { done: 'succeeded', again: 'retrying', wait: 'retrying', failed: 'failed', stale: 'stale' } as const;

export type DeliveryMetrics = {
  /** An attempt has ended. A test that fails is nobody's loss: it is not counted among what failed. */
  attempted(end: keyof typeof outcomes, errorClass: SendErrorClass | undefined, isTest: boolean): void;
};

export function createDeliveryMetrics(registry: Registry): DeliveryMetrics {
  const counter = new Counter({
    name: 'kanal_webhook_attempts_total',
    help: 'Attempts of webhook deliveries by what became of the delivery: succeeded, retrying (tried again later), failed (for good), test_failed (of an endpoint, by hand), stale (another run has ended it); error_class: none, or why the attempt failed',
    labelNames: ['outcome', 'error_class'],
    registers: [registry],
  });
  // From the start, so that a rate sees the first of them.
  for (const error_class of errorClasses)
    for (const outcome of ['retrying', 'failed', 'test_failed']) counter.inc({ outcome, error_class }, 0);
  counter.inc({ outcome: 'succeeded', error_class: 'none' }, 0);
  const attempts = childrenOf(counter);
  return {
    attempted(end, errorClass, isTest) {
      const outcome = isTest && end === 'failed' ? 'test_failed' : outcomes[end];
      attempts(outcome, errorClass ?? 'none').inc();
    },
  };
}
