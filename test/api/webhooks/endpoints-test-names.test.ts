import { expect, test } from '@jest/globals';
import { useApp } from '../../support/app.ts';
import { storedDeliveries, storedDeliveryAttempts } from '../../support/stored/webhooks.ts';

// As production is: no network is open but the public ones.
const app = useApp({ workers: true, env: { WEBHOOK_ALLOW_HTTP: 'true', WEBHOOK_ALLOW_NETWORKS: '' } });

test('a test to a name that leads inside is told as one to a name that nobody has; the log knows better', async () => {
  const body = { url: 'http://localhost/hooks', event_types: ['message.sent'] };
  const { id } = (await app.call('webhooks.endpoints.create', { body })).body;
  const asked = { params: { endpointID: id }, headers: { prefer: 'wait=20' } };
  const reply = await app.call('webhooks.endpoints.test', asked);
  const failure = { code: 'dns', message: 'the host has no public address' };
  expect([reply.status, reply.body.error.message, reply.body.error.details]).toEqual([422, failure.message, [failure]]);
  const operation = await app.call('operations.get', { params: { operationID: reply.headers.get('operation-id')! } });
  expect(operation.body.error).toMatchObject({ ...failure, provider_code: null });
  const delivery = await storedDeliveries.one(app, { endpoint_id: id });
  const attempt = await storedDeliveryAttempts.one(app, { delivery_id: delivery.id });
  expect(attempt.error_class).toBe(failure.code);
  expect(attempt.error).toBe(failure.message);
  const logged = app.log.lines.filter(({ msg }) => msg === 'webhook address refused');
  expect(logged).toEqual([expect.objectContaining({ endpoint_id: id, error_class: 'ssrf' })]);
});
