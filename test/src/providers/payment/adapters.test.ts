import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createSandbox, type Sandbox } from '../../../../sandbox/sandbox.ts';
import { ProviderBusy, ProviderFailed, ProviderRefused, ProviderUnknown } from '../../../../src/providers/errors.ts';
import type { NewPage, PaymentProvider } from '../../../../src/providers/payment/provider.ts';
import { stripePayments } from '../../../../src/providers/payment/stripe.ts';
import { xenditPayments } from '../../../../src/providers/payment/xendit.ts';
import { guardNetwork } from '../../../support/network.ts';

const network = guardNetwork();

let sandbox: Sandbox;
let url: string;
let calls: Record<'stripe' | 'xendit', { payments: PaymentProvider; close(): void }>;
beforeAll(async () => {
  sandbox = createSandbox();
  url = `http://127.0.0.1:${await sandbox.listen(0)}`;
  calls = {
    stripe: stripePayments({ url, timeoutMs: 2_000 }),
    xendit: xenditPayments({ url: `${url}/xendit`, timeoutMs: 2_000 }),
  };
});
beforeEach(async () => {
  await fetch(`${url}/_control`, { method: 'DELETE' });
});
afterAll(async () => {
  calls.stripe.close();
  calls.xendit.close();
  await sandbox.close();
  network.release();
  expect(network.strangers).toEqual([]);
});

async function control(path: string, body: object = {}) {
  const response = await fetch(`${url}/_control${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(200);
}

const credentials = {
  stripe: { secret_key: 'sk_test_abcd1234' },
  xendit: { secret_key: 'xnd_development_abcd1234' },
};
const paths = { stripe: '/v1/checkout/sessions', xendit: '/xendit/sessions' };

const page = (reference: string): NewPage => ({
  reference,
  orderNo: 'A-000042',
  amount: '150000.00',
  currency: 'IDR',
  customer: { name: 'Sari', email: 'sari@example.com', phone: '+6281234567890' },
  successUrl: 'https://shop.example/thanks',
  cancelUrl: 'https://shop.example/basket',
  expiresAt: new Date(Math.ceil(Date.now() / 1000) * 1000 + 3_600_000),
});

describe.each(['stripe', 'xendit'] as const)('%s', (provider) => {
  const key = credentials[provider];
  const api = () => calls[provider].payments;

  test('credentials are tried', async () => {
    await expect(api().verify(key)).resolves.toHaveProperty('account');
    await expect(api().verify({ secret_key: 'wrong' })).rejects.toMatchObject({ stopsChannel: 'auth_error' });
    await expect(api().verify({})).rejects.toMatchObject({ stopsChannel: 'auth_error' });
  });

  test('a page is made, read, paid and given back in part', async () => {
    const made = await api().createPage(key, page('r-1'));
    expect(made).toMatchObject({ status: 'open', reference: 'r-1', received: null });
    expect(made.url).toMatch(/^http/);
    await control(`/payments/${made.id}/pay`);
    const paid = await api().readPage(key, made.id);
    expect(paid).toMatchObject({ status: 'completed', reference: 'r-1' });
    expect(paid!.received).toMatchObject({ currency: 'IDR' });
    expect(Number(paid!.received!.amount)).toBe(150_000);
    const refund = { key: 'k-1', paymentId: paid!.received!.paymentId, amount: '50000.00', currency: 'IDR' };
    const given = await api().refund(key, refund);
    expect(given).toMatchObject({ status: 'succeeded', key: 'k-1' });
    expect(await api().refund(key, refund)).toEqual(given);
    expect(await api().readRefund(key, given.id)).toMatchObject({ id: given.id, status: 'succeeded' });
    await expect(api().refund(key, { ...refund, key: 'k-2', amount: '100001.00' })).rejects.toBeInstanceOf(ProviderRefused);
  });

  test('another amount than was asked for is read as it is', async () => {
    const made = await api().createPage(key, page('r-2'));
    await control(`/payments/${made.id}/pay`, { amount: 7_000 });
    const { received } = (await api().readPage(key, made.id))!;
    expect(Number(received!.amount)).toBe(provider === 'stripe' ? 70 : 7_000);
  });

  test('an open page is ended; one that was paid meanwhile is given back as it is', async () => {
    const first = await api().createPage(key, page('r-3'));
    expect((await api().closePage(key, first.id))!.status).toBe(provider === 'stripe' ? 'expired' : 'cancelled');
    const second = await api().createPage(key, page('r-4'));
    await control(`/payments/${second.id}/pay`);
    expect(await api().closePage(key, second.id)).toMatchObject({ status: 'completed' });
  });

  test('what the provider does not have is undefined', async () => {
    expect(await api().readPage(key, 'cs_none')).toBeUndefined();
    expect(await api().closePage(key, 'cs_none')).toBeUndefined();
    expect(await api().readRefund(key, 're_none')).toBeUndefined();
  });

  test('an amount that cannot be said exactly is refused before the call', async () => {
    await expect(api().createPage(key, { ...page('r-5'), amount: '0.001' })).rejects.toBeInstanceOf(ProviderRefused);
    const { requests } = (await (await fetch(`${url}/_control/requests?path=sessions`)).json()) as { requests: object[] };
    expect(requests).toHaveLength(0);
  });

  test('a lost answer is unknown, and nothing is asked twice by the client itself', async () => {
    for (const kind of ['drop_before', 'drop_after']) {
      await control('/faults', { kind, match: { method: 'POST', path: paths[provider] } });
      await expect(api().createPage(key, page(`r-${kind}`))).rejects.toBeInstanceOf(ProviderUnknown);
    }
    const { requests } = (await (await fetch(`${url}/_control/requests?method=POST&path=sessions`)).json()) as {
      requests: object[];
    };
    expect(requests).toHaveLength(2);
  });

  test('reads that are lost are asked again later', async () => {
    await control('/faults', { kind: 'drop_after', match: { method: 'GET', path: paths[provider] } });
    await expect(api().readPage(key, 'cs_1')).rejects.toBeInstanceOf(ProviderFailed);
  });

  test('refusals are sorted', async () => {
    const fault = (status: number) =>
      control('/faults', { kind: 'status', status, match: { method: 'POST', path: paths[provider] } });
    await fault(429);
    await expect(api().createPage(key, page('r-6'))).rejects.toBeInstanceOf(ProviderBusy);
    await fault(500);
    await expect(api().createPage(key, page('r-7'))).rejects.toBeInstanceOf(ProviderUnknown);
    await fault(403);
    await expect(api().createPage(key, page('r-8'))).rejects.toMatchObject({ stopsChannel: 'restricted' });
  });
});

test('Stripe repeats its answer under our reference, and refuses another page under it', async () => {
  const { payments } = calls.stripe;
  const first = page('same');
  const made = await payments.createPage(credentials.stripe, first);
  expect(await payments.createPage(credentials.stripe, first)).toEqual(made);
  await expect(payments.createPage(credentials.stripe, { ...first, amount: '1000.00' })).rejects.toBeInstanceOf(ProviderRefused);
});
