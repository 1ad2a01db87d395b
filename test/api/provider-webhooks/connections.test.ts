import { createHmac } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { uuidv7 } from '../../../src/platform/ids.ts';
import { useApp } from '../../support/app.ts';
import { testSecrets } from '../../support/secrets.ts';
import { storedJobs } from '../../support/stored/api-jobs.ts';
import { storedConnections, storedConnectionWebhooks } from '../../support/stored/channels.ts';

const app = useApp();
const secrets = { stripe: 'whsec_of_this_test', xendit: 'token-of-this-test', biteship: 'shipper-secret-of-this-test' };
type Provider = keyof typeof secrets;

/** As its endpoint would store it: what is tested here begins with the provider's webhook. */
async function receiving(provider: Provider, secret: string | null = secrets[provider]): Promise<string> {
  const id = uuidv7();
  await storedConnections.add(app, {
    organization_id: app.tenant.organizationId,
    id,
    kind: provider === 'biteship' ? 'shipper' : 'payment',
    provider,
    name: 'Test',
    credentials: testSecrets.seal('{"secret_key":"k"}'),
    webhook_secret: secret === null ? null : testSecrets.seal(secret),
  });
  return id;
}

const signedByStripe = (body: string, secret = secrets.stripe, at = Date.now()) => {
  const time = Math.floor(at / 1000);
  return { 'stripe-signature': `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}` };
};
const send = (id: string, body: string, headers: Record<string, string> = {}, road = 'payments') =>
  app.raw('POST', `/v1/providers/${road}/${id}/webhook`, {
    key: null,
    ...(body !== '' && { body }),
    headers: { 'content-type': 'application/json', ...headers },
  });
const kept = (id: string) => storedConnectionWebhooks.all(app, { connection_id: id }, { orderBy: 'received_at' });
const event = (id = 'evt_1') => JSON.stringify({ id, type: 'checkout.session.completed', data: { object: { id: 'cs_1' } } });

describe('a webhook of a provider', () => {
  test('is kept as it came, with its job, and answered', async () => {
    const id = await receiving('stripe');
    const { status, body } = await send(id, event(), signedByStripe(event()));
    expect([status, body]).toEqual([200, {}]);
    const [row] = await kept(id);
    expect(row).toMatchObject({ external_id: 'evt_1', status: 'received' });
    expect(row.body.toString()).toBe(event());
    const job = await storedJobs.one(app, { subject_id: row.id }, ['name', 'subject_id']);
    expect(job.name).toBe('connections.apply-webhook');
  });

  test('one that is repeated is kept once', async () => {
    const id = await receiving('stripe');
    await Promise.all(Array.from({ length: 10 }, () => send(id, event(), signedByStripe(event()))));
    await send(id, event('evt_2'), signedByStripe(event('evt_2')));
    expect((await kept(id)).map((row) => row.external_id).sort()).toEqual(['evt_1', 'evt_2']);
  });

  test('one without an id of its own is known by its hash', async () => {
    const id = await receiving('xendit');
    const body = JSON.stringify({ event: 'payment_session.completed', data: {} });
    for (const _ of [1, 2]) expect((await send(id, body, { 'x-callback-token': secrets.xendit })).status).toBe(200);
    expect((await kept(id)).map((row) => row.external_id)).toEqual([expect.stringMatching(/^sha256:[0-9a-f]{64}$/)]);
  });

  test('a shipper proves itself by its header', async () => {
    const id = await receiving('biteship');
    const body = JSON.stringify({ event: 'order.status', order_id: 'o1', status: 'picked' });
    expect((await send(id, body, { 'x-webhook-secret': secrets.biteship }, 'shipping')).status).toBe(200);
    expect((await send(id, body, { 'x-webhook-secret': 'other' }, 'shipping')).status).toBe(401);
    expect(await kept(id)).toHaveLength(1);
  });
});

describe('what is not taken', () => {
  test.each([
    ['no signature', {}, 401],
    ['a wrong one', signedByStripe(event(), 'whsec_wrong'), 401],
    ['an old one', signedByStripe(event(), secrets.stripe, Date.now() - 301_000), 401],
    ['one of another body', signedByStripe(event('evt_other')), 401],
  ])('%s', async (_, headers, expected) => {
    const id = await receiving('stripe');
    expect((await send(id, event(), headers)).status).toBe(expected);
    expect(await kept(id)).toEqual([]);
  });

  test("another connection's secret", async () => {
    const id = await receiving('xendit');
    await receiving('xendit', 'of-another-connection');
    expect((await send(id, '{}', { 'x-callback-token': 'of-another-connection' })).status).toBe(401);
  });

  test('whatever is signed, by a connection without a secret', async () => {
    const id = await receiving('xendit', null);
    expect((await send(id, '{}', { 'x-callback-token': '' })).status).toBe(401);
  });

  test('a megabyte', async () => {
    const id = await receiving('xendit');
    const body = JSON.stringify({ text: 'x'.repeat(1024 * 1024) });
    expect((await send(id, body, { 'x-callback-token': secrets.xendit })).status).toBe(413);
  });

  test('broken JSON', async () => {
    const id = await receiving('xendit');
    expect((await send(id, '{"a":', { 'x-callback-token': secrets.xendit })).status).toBe(400);
    expect(await kept(id)).toEqual([]);
  });

  test('an empty body is how the address is tried', async () => {
    const id = await receiving('biteship');
    expect((await send(id, '', {}, 'shipping')).status).toBe(200);
    expect(await kept(id)).toEqual([]);
  });

  test('one for a connection that is not there, is deleted, or is of another kind', async () => {
    const id = await receiving('xendit');
    const token = { 'x-callback-token': secrets.xendit };
    expect((await send(uuidv7(), '{}', token)).status).toBe(404);
    expect((await send('nobody', '{}', token)).status).toBe(404);
    expect((await send(id, '{}', token, 'shipping')).status).toBe(404);
    await app.call('connections.delete', { params: { connectionID: id } });
    expect((await send(id, '{}', token)).status).toBe(404);
  });
});
