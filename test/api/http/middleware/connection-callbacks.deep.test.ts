import { expect, test } from '@jest/globals';
import { uuidv7 } from '../../../../src/platform/ids.ts';
import { useApp } from '../../../support/app.ts';
import { testSecrets } from '../../../support/secrets.ts';
import { storedConnections, storedConnectionWebhooks } from '../../../support/stored/channels.ts';

const quota = 20;
const app = useApp({ env: { RATE_LIMIT_PER_MINUTE: String(quota), CONNECTION_WEBHOOKS_PER_MINUTE: '3', TRUST_PROXY: '1' } });

const callbackToken = 'a token that the tenant chose';
const paymentWebhook = (id: string, data: object, token = callbackToken) =>
  app.raw('POST', `/v1/providers/payments/${id}/webhook`, {
    key: null,
    body: JSON.stringify({ event: 'payment_session.completed', data }),
    headers: { 'content-type': 'application/json', 'x-callback-token': token, 'x-forwarded-for': '198.51.100.41' },
  });

async function paymentConnection() {
  const id = uuidv7();
  await storedConnections.add(app, {
    organization_id: app.tenant.organizationId,
    id,
    kind: 'payment',
    provider: 'xendit',
    name: 'Test',
    credentials: testSecrets.seal('{"secret_key":"k"}'),
    webhook_secret: testSecrets.seal(callbackToken),
  });
  return id;
}

test("a payment connection's callback has a limit, which a wrong signature does not spend", async () => {
  const [own, other] = [await paymentConnection(), await paymentConnection()];
  const deliver = (id: string, index: number, token = callbackToken) => paymentWebhook(id, { index }, token);
  for (let index = 0; index < 5; index += 1) expect((await deliver(own, index, 'a guess')).status).toBe(401);
  for (let index = 0; index < 3; index += 1) expect((await deliver(own, index)).status).toBe(200);
  const refused = await deliver(own, 3);
  expect(refused.status).toBe(429);
  expect(refused.body.error.code).toBe('rate_limited');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await storedConnectionWebhooks.all(app, { connection_id: own }, { columns: ['id'] })).toHaveLength(3);
  expect((await deliver(other, 0)).status).toBe(200);
});

test("a large body at a payment connection's callback counts as several, and the last one passes whole", async () => {
  const [own, other] = [await paymentConnection(), await paymentConnection()];
  const large = (kilobytes: number) => ({ text: 'x'.repeat(kilobytes * 1024) });
  expect((await paymentWebhook(own, large(20))).status).toBe(200);
  expect((await paymentWebhook(own, {})).status).toBe(200);
  expect((await paymentWebhook(own, {})).status).toBe(429);
  expect((await paymentWebhook(other, large(200))).status).toBe(200);
  expect((await paymentWebhook(other, {})).status).toBe(429);
});

test("empty bodies to a payment connection's callback cost the address", async () => {
  const id = await paymentConnection();
  const headers = { 'x-forwarded-for': '198.51.100.42' };
  const path = `/v1/providers/payments/${id}/webhook`;
  const signed = { body: '{}', headers: { ...headers, 'content-type': 'application/json', 'x-callback-token': callbackToken } };
  expect((await app.raw('POST', path, { key: null, ...signed })).status).toBe(200);
  for (let index = 0; index < quota; index += 1) expect((await app.raw('POST', path, { key: null, headers })).status).toBe(200);
  expect((await app.raw('POST', path, { key: null, headers })).status).toBe(429);
});
