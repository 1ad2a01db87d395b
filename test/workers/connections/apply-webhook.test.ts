import { expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';
import { testSecrets } from '../../support/secrets.ts';
import { waitFor } from '../../support/wait-for.ts';
import { connectionRows, connectionWebhookRows } from '../../support/work/connections.ts';
import { jobRows, poolRows } from '../../support/work/jobs.ts';

const app = useApp({ workers: true });

test('a webhook about nothing of ours is kept as unknown, once, however often it comes', async () => {
  const id = uuidv7();
  await connectionRows.add(app, {
    organization_id: app.tenant.organizationId,
    id,
    kind: 'payment',
    provider: 'xendit',
    name: 'Test',
    credentials: testSecrets.seal('{"secret_key":"k"}'),
    webhook_secret: testSecrets.seal('token'),
  });
  await poolRows.add(app, { organization_id: app.tenant.organizationId, id: `connection:${id}`, width: 8, rate: 20 });
  const body = JSON.stringify({ event: 'payment_session.completed', data: { reference_id: uuidv7() } });
  const send = () =>
    app.raw('POST', `/v1/providers/payments/${id}/webhook`, { key: null, body, headers: { 'x-callback-token': 'token' } });
  expect((await Promise.all([send(), send(), send()])).map(({ status }) => status)).toEqual([200, 200, 200]);
  const row = await waitFor('the webhook', async () => {
    const [kept] = await connectionWebhookRows.all(app, { connection_id: id }, ['status', 'applied_at']);
    return kept?.status !== 'received' && kept;
  });
  expect(row.status).toBe('unknown');
  expect((await send()).status).toBe(200);
  await app.idle();
  expect(await connectionWebhookRows.all(app, { connection_id: id }, ['status'])).toEqual([{ status: 'unknown' }]);
  expect(await jobRows.count(app, { name: 'connections.apply-webhook' })).toBe(0);
});
