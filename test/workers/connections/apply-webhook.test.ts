import { expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';
import { testSecrets } from '../../support/secrets.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });

test('a webhook about nothing of ours is kept as unknown, once, however often it comes', async () => {
  const id = uuidv7();
  await app.rows(
    `insert into connections (organization_id, id, kind, provider, name, credentials, webhook_secret)
     values ($1, $2, 'payment', 'xendit', 'Test', $3, $4)`,
    [app.tenant.organizationId, id, testSecrets.seal('{"secret_key":"k"}'), testSecrets.seal('token')],
  );
  await app.rows('insert into pools (organization_id, id, width, rate) values ($1, $2, 8, 20)', [
    app.tenant.organizationId,
    `connection:${id}`,
  ]);
  const body = JSON.stringify({ event: 'payment_session.completed', data: { reference_id: uuidv7() } });
  const send = () =>
    app.raw('POST', `/v1/providers/payments/${id}/webhook`, { key: null, body, headers: { 'x-callback-token': 'token' } });
  expect((await Promise.all([send(), send(), send()])).map(({ status }) => status)).toEqual([200, 200, 200]);
  const row = await waitFor('the webhook', async () => {
    const [kept] = await app.rows('select status, applied_at from connection_webhooks where connection_id = $1', [id]);
    return kept?.status !== 'received' && kept;
  });
  expect(row.status).toBe('unknown');
  expect((await send()).status).toBe(200);
  await app.idle();
  expect(await app.rows('select status from connection_webhooks where connection_id = $1', [id])).toEqual([
    { status: 'unknown' },
  ]);
  expect(await app.rows(`select 1 from jobs where name = 'connections.apply-webhook'`)).toEqual([]);
});
