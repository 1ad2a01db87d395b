import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { createDeliveryMetrics } from '../../../workers/webhooks/delivery-metrics.ts';

test('a test of an endpoint that fails is not counted among the deliveries that were given up', async () => {
  const registry = new Registry();
  const metrics = createDeliveryMetrics(registry);
  metrics.attempted('failed', 'connect', true);
  metrics.attempted('failed', 'http', false);
  metrics.attempted('done', undefined, true);
  const { values } = await registry.getSingleMetric('kanal_webhook_attempts_total')!.get();
  const counted = values.filter(({ value }) => value > 0).map(({ labels, value }) => ({ ...labels, value }));
  expect(counted).toHaveLength(3);
  expect(counted).toContainEqual({ outcome: 'test_failed', error_class: 'connect', value: 1 });
  expect(counted).toContainEqual({ outcome: 'failed', error_class: 'http', value: 1 });
  expect(counted).toContainEqual({ outcome: 'succeeded', error_class: 'none', value: 1 });
});
