import { beforeAll, describe, expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { retryJob } from '../../../src/platform/ledger/retry.ts';
import { type Body, useApp } from '../../support/app.ts';
import {
  type Account,
  atProvider,
  hasten,
  openSession,
  orderRow,
  owingOrder,
  paymentAccount,
  there,
  waiting,
} from '../../support/payments.ts';
import { holdPool, isHeld, makeJobDue, releasePool, storedJobs } from '../../support/stored/api-jobs.ts';
import { storedRefunds } from '../../support/stored/commerce.ts';
import { now } from '../../support/stored/times.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
let accounts: Record<'stripe' | 'xendit', Account>;
beforeAll(async () => {
  accounts = {
    stripe: await paymentAccount(app, 'stripe', { isTold: false }),
    xendit: await paymentAccount(app, 'xendit', { isTold: false }),
  };
});

const refund = (orderID: string, body: object = {}, headers: Record<string, string> = waiting) =>
  app.call('commerce.refunds.create', { params: { orderID }, body, headers });

describe.each(['stripe', 'xendit'] as const)('%s', (provider) => {
  async function paidOrder(): Promise<string> {
    const id = await owingOrder(app);
    const session = await openSession(app, id, { connection_id: accounts[provider].id });
    await atProvider(app, session, 'pay');
    await hasten(app);
    await waitFor('the payment', async () => (await orderRow(app, id)).payment_status === 'paid');
    return id;
  }
  const refundsThere = async (of: string) =>
    (await there(app)).refunds.filter(({ reference, metadata }) => [reference, metadata.refund_id].includes(of));

  test('gives back at the provider, part after part, and no more than was paid', async () => {
    const id = await paidOrder();
    const first = await refund(id, { amount: 5_000_000, reason: 'Broken' });
    expect([first.status, first.body]).toMatchObject([201, { status: 'succeeded', provider_refund_id: expect.any(String) }]);
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'partially_refunded', refunded_amount: '5000000' });
    expect((await refund(id, { amount: 10_000_100 })).status).toBe(422);
    expect((await refund(id)).body).toMatchObject({ amount: 10_000_000, status: 'succeeded' });
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'refunded' });
    expect(await refundsThere(first.body.id)).toMatchObject([{ amount: provider === 'stripe' ? 5_000_000 : 50_000 }]);
  });

  test.each(['drop_before', 'drop_after'])('an answer that is lost (%s) gives back once', async (kind) => {
    const id = await paidOrder();
    await app.control('POST', '/faults', { kind, match: { method: 'POST', path: '/refunds' } });
    const { body } = await refund(id, { amount: 1_000_000 });
    expect(body.status).toBe('succeeded');
    expect(await refundsThere(body.id)).toHaveLength(1);
    expect(await orderRow(app, id)).toMatchObject({ refunded_amount: '1000000' });
  });

  test('one that the bank takes time for is looked at again', async () => {
    const id = await paidOrder();
    await app.control('POST', '/behaviour', { refund_status: 'pending' });
    const { body } = await refund(id, { amount: 1_000_000 });
    await app.control('POST', '/behaviour', { refund_status: 'succeeded' });
    expect(body.status).toBe('pending');
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'paid', refunded_amount: '0' });
    await app.control('POST', `/refunds/${body.provider_refund_id}`, { status: 'failed' });
    await hasten(app, 'commerce.check-refund');
    const read = async () =>
      (await app.call('commerce.refunds.get', { params: { orderID: id, refundID: body.id } })).body as Body;
    await waitFor('its end', async () => (await read()).status === 'failed');
    expect(await read()).toMatchObject({ failure: { code: 'provider_refused' } });
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'paid', refunded_amount: '0' });
  });

  test('one without any answer stays pending, its money is not given back otherwise, and a retry gives it once', async () => {
    const id = await paidOrder();
    await app.control('POST', '/faults', { kind: 'drop_after', times: 8, match: { method: 'POST', path: '/refunds' } });
    const { body, headers } = await refund(id, {}, {});
    const operation = headers.get('operation-id')!;
    await waitFor('the last try', async () => {
      await makeJobDue(app, operation);
      return (await storedJobs.one(app, operation)).state === 'failed';
    });
    const params = { orderID: id, refundID: body.id };
    const unknown = { status: 'pending', failure: { code: 'provider_failed' } };
    expect((await app.call('commerce.refunds.get', { params })).body).toMatchObject(unknown);
    expect((await refund(id)).status).toBe(422);
    expect((await checkJobs(app.web.deps.database)).filter(({ detail }) => detail.includes('refund'))).toEqual([]);
    await retryJob(app.web.deps.ledger.transact, operation, app.tenant.organizationId);
    await waitFor('the refund', async () => (await orderRow(app, id)).payment_status === 'refunded');
    expect((await app.call('commerce.refunds.get', { params })).body).toMatchObject({ status: 'succeeded', failure: null });
    expect(await refundsThere(body.id)).toHaveLength(1);
  });

  test('a provider that has too much to do has given nothing, and is asked again', async () => {
    const id = await paidOrder();
    await app.control('POST', '/faults', { kind: 'status', status: 429, match: { method: 'POST', path: '/refunds' } });
    const { body, headers } = await refund(id, {}, {});
    const operation = headers.get('operation-id')!;
    const pool = `connection:${accounts[provider].id}`;
    await waitFor('a pause', () => isHeld(app, pool));
    expect(await storedRefunds.one(app, body.id, ['status', 'asked_at'])).toEqual({
      status: 'pending',
      asked_at: null,
    });
    await releasePool(app, pool);
    await waitFor('the refund', async () => {
      await makeJobDue(app, operation);
      return (await orderRow(app, id)).payment_status === 'refunded';
    });
    expect(await refundsThere(body.id)).toHaveLength(1);
  });

  test('one that the provider refuses fails, and the money can be given back otherwise', async () => {
    const id = await paidOrder();
    await app.control('POST', '/faults', { kind: 'status', status: 400, match: { method: 'POST', path: '/refunds' } });
    expect((await refund(id)).body).toMatchObject({ status: 'failed', failure: { code: 'provider_refused' } });
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'paid', refunded_amount: '0' });
    expect((await refund(id)).body).toMatchObject({ status: 'succeeded', amount: 15_000_000 });
  });

  test('of a cancelled order, one that the provider refuses asks for attention until the money is given back', async () => {
    const id = await paidOrder();
    const attention = async () => (await orderRow(app, id)).attention;
    await app.control('POST', '/faults', { kind: 'status', status: 400, match: { method: 'POST', path: '/refunds' } });
    const { body } = await app.call('commerce.orders.cancel', { params: { orderID: id }, body: { refund: true } });
    expect([body.status, body.attention]).toEqual(['cancelled', []]);
    await waitFor('the refusal', async () => (await attention()).length > 0);
    expect(await attention()).toEqual(['paid_after_cancel']);
    await refund(id);
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'refunded', attention: [] });
  });
});

describe('whose connection is deleted', () => {
  const read = async (orderID: string, refundID: string): Promise<Body> =>
    (await app.call('commerce.refunds.get', { params: { orderID, refundID } })).body;
  const settle = (orderID: string, refundID: string, status: string) =>
    app.call('commerce.refunds.settle', { params: { orderID, refundID }, body: { status } });
  const remove = ({ id }: Account) => app.call('connections.delete', { params: { connectionID: id } });
  const unanswered = { status: 'pending', failure: { code: 'connection_deleted' } };

  /** An account of its own, and an order that was paid with it. */
  async function paidThere() {
    const account = await paymentAccount(app, 'stripe', { isTold: false });
    const id = await owingOrder(app);
    const session = await openSession(app, id, { connection_id: account.id });
    await atProvider(app, session, 'pay');
    await hasten(app);
    await waitFor('the payment', async () => (await orderRow(app, id)).payment_status === 'paid');
    return { account, id };
  }

  const poolOf = ({ id }: Account) => `connection:${id}`;

  /** A run that died has asked the provider; the next one waits. */
  async function askedInVain() {
    const { account, id } = await paidThere();
    await holdPool(app, poolOf(account));
    const { body, headers } = await refund(id, {}, {});
    await storedRefunds.change(app, body.id, { asked_at: now() });
    return { account, id, refundId: body.id as string, operation: headers.get('operation-id')! };
  }

  async function leftUnanswered() {
    const asked = await askedInVain();
    expect((await remove(asked.account)).status).toBe(204);
    await waitFor('its end', async () => {
      await makeJobDue(app, asked.operation);
      return (await storedJobs.one(app, asked.operation)).state === 'failed';
    });
    return asked;
  }

  test('before the provider answered: nothing is taken for certain, and a person says what became of it', async () => {
    const { id, refundId } = await leftUnanswered();
    expect(await read(id, refundId)).toMatchObject(unanswered);
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'paid', attention: ['refund_unanswered'] });
    expect((await settle(id, refundId, 'pending')).status).toBe(422);
    const given = await settle(id, refundId, 'succeeded');
    expect([given.status, given.body]).toMatchObject([200, { status: 'succeeded', failure: null }]);
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'refunded', attention: [] });
    const { revision } = await orderRow(app, id);
    expect((await settle(id, refundId, 'succeeded')).status).toBe(200);
    expect((await settle(id, refundId, 'failed')).body.error).toMatchObject({
      code: 'conflict',
      details: [{ value: 'succeeded' }],
    });
    expect((await orderRow(app, id)).revision).toBe(revision);
    const events = (await app.events(id)).filter(({ data }) => data.kind === 'refund');
    expect(events.map(({ data }) => data.status)).toEqual(['pending', 'succeeded']);
  });

  test('a person who found nothing at the provider says so, and the money counts as there', async () => {
    const { id, refundId } = await leftUnanswered();
    const { body } = await settle(id, refundId, 'failed');
    expect(body).toMatchObject({ status: 'failed', failure: { code: 'settled_by_hand' } });
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'paid', refunded_amount: '0', attention: [] });
    const { body: timeline } = await app.call('commerce.orders.timeline', { params: { orderID: id } });
    expect(timeline.items[0]).toMatchObject({ kind: 'refund', actor: `key:${app.tenant.keyId}`, data: { to: 'failed' } });
  });

  test('while it is there, its answer decides and no person', async () => {
    const { account, id, refundId, operation } = await askedInVain();
    expect((await settle(id, refundId, 'failed')).body.error).toMatchObject({
      code: 'conflict',
      details: [{ code: 'refund.answerable' }],
    });
    await releasePool(app, poolOf(account));
    await makeJobDue(app, operation);
    await waitFor('the refund', async () => (await orderRow(app, id)).payment_status === 'refunded');
  });

  test('while the bank takes its time: nobody looks any more, and a person says what became of it', async () => {
    const { account, id } = await paidThere();
    await app.control('POST', '/behaviour', { refund_status: 'pending' });
    const { body } = await refund(id);
    await app.control('POST', '/behaviour', { refund_status: 'succeeded' });
    expect(body).toMatchObject({ status: 'pending', failure: null });
    await remove(account);
    await waitFor('the last look', async () => (await orderRow(app, id)).attention.length > 0);
    expect(await read(id, body.id)).toMatchObject(unanswered);
    expect(await storedJobs.count(app, { subject_id: body.id })).toBe(0);
    expect((await checkJobs(app.web.deps.database)).filter(({ detail }) => detail.includes('refund'))).toEqual([]);
    expect((await settle(id, body.id, 'succeeded')).status).toBe(200);
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'refunded', attention: [] });
  });

  test('money that came by it is given back by hand, and whoever did it says so', async () => {
    const { account, id } = await paidThere();
    const byHand = { by_hand: true, amount: 10_000_000 };
    expect((await refund(id, byHand)).body.error).toMatchObject({ code: 'conflict', details: [{ code: 'refund.answerable' }] });
    await remove(account);
    expect((await refund(id)).body.error).toMatchObject({
      code: 'connection_unavailable',
      message: expect.stringContaining('`by_hand`'),
    });
    await app.call('commerce.orders.cancel', { params: { orderID: id }, body: {} });
    expect((await orderRow(app, id)).attention).toEqual(['paid_after_cancel']);
    expect((await refund(id, { ...byHand, amount: 99_000_000 })).status).toBe(422);
    const { status, body } = await refund(id, byHand);
    expect([status, body]).toMatchObject([201, { status: 'succeeded', connection_id: null, amount: 10_000_000 }]);
    expect((await orderRow(app, id)).attention).toEqual(['paid_after_cancel']);
    await refund(id, { by_hand: true });
    expect(await orderRow(app, id)).toMatchObject({ payment_status: 'refunded', attention: [] });
  });
});

test('of a payment that was given back, the answer names what is left of this one', async () => {
  const id = await owingOrder(app);
  const record = async (amount: number) =>
    (await app.call('commerce.payments.create', { params: { orderID: id }, body: { amount, method: 'cash' } })).body.id as string;
  const first = await record(5_000_000);
  await record(10_000_000);
  expect((await refund(id, { payment_id: first })).body).toMatchObject({ amount: 5_000_000, status: 'succeeded' });
  expect((await refund(id, { payment_id: first, amount: 1_000_000 })).body.error).toMatchObject({
    message: 'At most 0 can be given back',
    details: [{ field: 'amount', code: 'above_paid' }],
  });
});
