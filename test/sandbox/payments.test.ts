import { afterEach, describe, expect, test } from '@jest/globals';
import Stripe from 'stripe';
import { waitFor } from '../support/wait-for.ts';
import { useHouse } from './house.ts';

const house = useHouse();
const key = 'sk_test_independent1234';
const secret = 'whsec_independent';
/** The package as anybody uses it: with its own HTTP client. */
const client = (secretKey = key) => {
  const { hostname, port } = new URL(house.url);
  return new Stripe(secretKey, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
};
const params = (more: object = {}): Stripe.Checkout.SessionCreateParams => ({
  mode: 'payment',
  success_url: 'https://shop.example/thanks',
  line_items: [{ quantity: 2, price_data: { currency: 'usd', unit_amount: 750, product_data: { name: 'Soap' } } }],
  ...more,
});
const listen = () => house.control('payment-accounts', { secret_key: key, webhook: { url: house.receiver.url, secret } });
const form = { 'content-type': 'application/x-www-form-urlencoded' };

afterEach(async () => {
  await house.settled();
});

describe('the stripe package', () => {
  test('creates, reads and expires a session', async () => {
    const made = await client().checkout.sessions.create(params({ client_reference_id: 'order-1', metadata: { a: 'b' } }));
    expect(made).toMatchObject({
      object: 'checkout.session',
      status: 'open',
      amount_total: 1_500,
      currency: 'usd',
      payment_status: 'unpaid',
    });
    const read = await client().checkout.sessions.retrieve(made.id);
    expect(read).toMatchObject({ client_reference_id: 'order-1', metadata: { a: 'b' }, url: made.url });
    expect((await client().checkout.sessions.expire(made.id)).status).toBe('expired');
    await expect(client().checkout.sessions.expire(made.id)).rejects.toMatchObject({
      type: 'StripeInvalidRequestError',
      statusCode: 400,
    });
  });

  test('gets the same answer under a key, and an error for other parameters', async () => {
    const options = { idempotencyKey: 'key-1' };
    const made = await client().checkout.sessions.create(params(), options);
    expect((await client().checkout.sessions.create(params(), options)).id).toBe(made.id);
    await expect(client().checkout.sessions.create(params({ client_reference_id: 'other' }), options)).rejects.toMatchObject({
      type: 'StripeIdempotencyError',
    });
  });

  test('pays by the page, reads the payment, gives back what was paid and no more', async () => {
    const made = await client().checkout.sessions.create(params());
    const page = await fetch(made.url!);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Pay 1500 USD')]);
    const clicked = await fetch(`${made.url}/pay`, { method: 'POST', redirect: 'manual' });
    expect([clicked.status, clicked.headers.get('location')]).toEqual([303, 'https://shop.example/thanks']);
    const paid = await client().checkout.sessions.retrieve(made.id, { expand: ['payment_intent.latest_charge'] });
    const intent = paid.payment_intent as Stripe.PaymentIntent;
    expect([paid.status, paid.payment_status, intent.amount_received]).toEqual(['complete', 'paid', 1_500]);
    expect((intent.latest_charge as Stripe.Charge).payment_method_details!.type).toBe('card');
    const refund = await client().refunds.create({ payment_intent: intent.id, amount: 1_000 });
    expect(await client().refunds.retrieve(refund.id)).toMatchObject({ status: 'succeeded', amount: 1_000 });
    await expect(client().refunds.create({ payment_intent: intent.id, amount: 501 })).rejects.toMatchObject({ statusCode: 400 });
    await client().refunds.create({ payment_intent: intent.id });
    await expect(client().refunds.create({ payment_intent: intent.id })).rejects.toMatchObject({
      code: 'charge_already_refunded',
    });
  });

  test('is refused with a wrong key, for what is not there, and for what is not valid', async () => {
    await expect(client('sk_live_no').balance.retrieve()).rejects.toMatchObject({ type: 'StripeAuthenticationError' });
    await expect(client().checkout.sessions.retrieve('cs_none')).rejects.toMatchObject({ code: 'resource_missing' });
    const other = await client('sk_test_other1234').checkout.sessions.create(params());
    await expect(client().checkout.sessions.retrieve(other.id)).rejects.toMatchObject({ code: 'resource_missing' });
    const soon = Math.floor(Date.now() / 1000) + 600;
    for (const [param, more] of [
      ['success_url', { success_url: 'nowhere' }],
      ['line_items', { line_items: [] }],
      ['expires_at', { expires_at: soon }],
      ['customer_email', { customer_email: 'nobody' }],
      ['colour', { colour: 'red' }],
    ] as const)
      await expect(client().checkout.sessions.create(params(more))).rejects.toMatchObject({ param });
  });

  test('verifies the webhooks, and refuses tampered and old ones', async () => {
    await listen();
    const made = await client().checkout.sessions.create(params());
    await house.control(`payments/${made.id}/pay`, {});
    const received = await waitFor('both', () => (house.receiver.received.length === 2 ? house.receiver.received : undefined));
    const events = received.map(({ raw: bytes, headers }) => {
      const [raw, signature] = [bytes.toString(), String(headers['stripe-signature'])];
      const { webhooks } = client();
      expect(() => webhooks.constructEvent(raw.replace('1500', '1501'), signature, secret)).toThrow(/signature/);
      expect(() => webhooks.constructEvent(raw, signature, 'whsec_other')).toThrow(/signature/);
      expect(() => webhooks.constructEvent(raw, signature, secret, undefined, undefined, Date.now() + 301_000)).toThrow(
        /tolerance/,
      );
      return webhooks.constructEvent(raw, signature, secret);
    });
    expect(events.map(({ type }) => type).sort()).toEqual(['checkout.session.completed', 'payment_intent.succeeded']);
    const completed = events.find(({ type }) => type === 'checkout.session.completed')!.data.object as Stripe.Checkout.Session;
    expect([completed.id, completed.payment_status]).toEqual([made.id, 'paid']);
  });
});

test('a webhook that is not taken is repeated, with the same id and a new signature', async () => {
  await house.control('behaviour', { retry_first_ms: 20 });
  house.receiver.answers = [500];
  await listen();
  const made = await client().checkout.sessions.create(params());
  await house.control(`payments/${made.id}/expire`, {});
  const received = await waitFor('both', () => (house.receiver.received.length === 2 ? house.receiver.received : undefined));
  const ids = received.map(({ raw }) => JSON.parse(raw.toString()).id);
  expect(ids[0]).toBe(ids[1]);
});

test('the page declines, sends away and ends', async () => {
  const made = await client().checkout.sessions.create(params({ cancel_url: 'https://shop.example/basket' }));
  await fetch(`${made.url}/fail`, { method: 'POST', redirect: 'manual', headers: form });
  expect(await (await fetch(made.url!)).text()).toContain('declined');
  const later = await fetch(`${made.url}/later`, { method: 'POST', redirect: 'manual' });
  expect(later.headers.get('location')).toBe('https://shop.example/basket');
  expect((await client().checkout.sessions.retrieve(made.id)).status).toBe('open');
  expect((await fetch(`${house.url}/pay/none`)).status).toBe(404);
});

describe('Xendit', () => {
  const authorization = `Basic ${Buffer.from('xnd_development_abcd1234:').toString('base64')}`;
  const ask = (method: string, path: string, body?: object) => house.ask(method, `/xendit${path}`, body, { authorization });
  const session = (more: object = {}) => ({
    reference_id: 'order-1',
    session_type: 'PAY',
    mode: 'PAYMENT_LINK',
    amount: 150_000,
    currency: 'IDR',
    country: 'ID',
    customer: { reference_id: 'c-1', type: 'INDIVIDUAL', individual_detail: { given_names: 'Sari' } },
    ...more,
  });

  test('makes a session, cancels it once, and makes another for the same reference', async () => {
    const made = await ask('POST', '/sessions', session());
    expect([made.status, made.body]).toMatchObject([
      201,
      { status: 'ACTIVE', reference_id: 'order-1', amount: 150_000, payment_id: null },
    ]);
    const id = made.body.payment_session_id;
    expect((await ask('POST', `/sessions/${id}/cancel`)).body.status).toBe('CANCELED');
    expect((await ask('POST', `/sessions/${id}/cancel`)).status).toBe(400);
    expect((await ask('GET', `/sessions/${id}`)).body.status).toBe('CANCELED');
    expect((await ask('POST', '/sessions', session())).body.payment_session_id).not.toBe(id);
  });

  test.each([
    [{ amount: 150_000.5 }],
    [{ amount: -1 }],
    [{ currency: 'EUR' }],
    [{ country: 'PH' }],
    [{ reference_id: undefined }],
    [{ success_return_url: 'javascript:x' }],
    [{ expires_at: '2020-01-01T00:00:00Z' }],
    [{ customer: undefined }],
  ])('refuses %j', async (more) => {
    const { status, body } = await ask('POST', '/sessions', session(more));
    expect([status, body.error_code]).toEqual([400, 'API_VALIDATION_ERROR']);
    expect(body.errors.length).toBeGreaterThan(0);
  });

  test('refuses a wrong key, and what is not there', async () => {
    const { status, body } = await house.ask('GET', '/xendit/balance', undefined, { authorization: 'Basic bm9wZTo=' });
    expect([status, body.error_code]).toEqual([401, 'INVALID_API_KEY']);
    expect((await ask('GET', '/sessions/ps-none')).body.error_code).toBe('DATA_NOT_FOUND');
  });

  test('sends its token along, and says what was captured', async () => {
    await house.control('payment-accounts', {
      secret_key: 'xnd_development_abcd1234',
      webhook: { url: house.receiver.url, secret: 'callback-token' },
    });
    const { payment_session_id: id } = (await ask('POST', '/sessions', session())).body;
    await house.control(`payments/${id}/pay`, { amount: 140_000 });
    const received = await waitFor('both', () => (house.receiver.received.length === 2 ? house.receiver.received : undefined));
    expect(received.map(({ headers }) => headers['x-callback-token'])).toEqual(['callback-token', 'callback-token']);
    const { payment_id } = (await ask('GET', `/sessions/${id}`)).body;
    const payment = (await ask('GET', `/v3/payments/${payment_id}`)).body;
    expect(payment).toMatchObject({ status: 'SUCCEEDED', request_amount: 150_000, captures: [{ capture_amount: 140_000 }] });
    const over = { payment_request_id: payment.payment_request_id, amount: 140_001, reason: 'OTHERS' };
    expect((await ask('POST', '/refunds', over)).body.error_code).toBe('MAXIMUM_REFUND_AMOUNT_REACHED');
  });
});
