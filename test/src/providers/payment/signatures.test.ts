import { describe, expect, test } from '@jest/globals';
import Stripe from 'stripe';
import { hintOf, isSignedBy } from '../../../../src/providers/payment/signatures.ts';

const secret = 'whsec_of_the_tests';
const body = Buffer.from('{"id":"evt_1","object":"event"}');
const nowMs = 1_800_000_000_000;
const stripe = new Stripe('sk_test_none');
const headerAt = (ms: number) =>
  stripe.webhooks.generateTestHeaderString({ payload: body.toString(), secret, timestamp: Math.floor(ms / 1000) });

describe("Stripe's signature", () => {
  const isSigned = (header: string | undefined, bytes = body, now = nowMs) =>
    isSignedBy.stripe({ 'stripe-signature': header }, bytes, secret, now);

  test('one that the package makes is good for five minutes', () => {
    expect(isSigned(headerAt(nowMs))).toBe(true);
    expect(isSigned(headerAt(nowMs - 299_000))).toBe(true);
    expect(isSigned(headerAt(nowMs - 301_000))).toBe(false);
    expect(isSigned(headerAt(nowMs + 301_000))).toBe(false);
  });

  test('another body, another secret, a missing or a broken header are refused', () => {
    expect(isSigned(headerAt(nowMs), Buffer.from('{"id":"evt_2"}'))).toBe(false);
    expect(isSignedBy.stripe({ 'stripe-signature': headerAt(nowMs) }, body, 'whsec_other', nowMs)).toBe(false);
    expect(isSignedBy.stripe({ 'stripe-signature': headerAt(nowMs) }, body, '', nowMs)).toBe(false);
    for (const header of [undefined, '', 't=,v1=', 't=1800000000', 'v1=abc', 't=x,v1=abc', ',,,='])
      expect([header, isSigned(header)]).toEqual([header, false]);
  });

  test('one good signature among several is enough: secrets are rolled', () => {
    expect(isSigned(`${headerAt(nowMs)},v1=${'0'.repeat(64)}`)).toBe(true);
  });
});

test("Xendit's token is compared whole", () => {
  const isSigned = (token: string | undefined, own = 'token') =>
    isSignedBy.xendit({ 'x-callback-token': token }, body, own, nowMs);
  expect(isSigned('token')).toBe(true);
  for (const token of ['Token', 'toke', 'tokenn', '', undefined]) expect([token, isSigned(token)]).toEqual([token, false]);
  expect(isSigned('', '')).toBe(false);
});

describe('what a webhook is about', () => {
  test.each([
    [
      'a session',
      { data: { object: { object: 'checkout.session', id: 'cs_1', client_reference_id: 'r', payment_intent: 'pi_1' } } },
      { pageId: 'cs_1', reference: 'r', paymentId: 'pi_1' },
    ],
    [
      'a payment',
      { data: { object: { object: 'payment_intent', id: 'pi_1', metadata: { reference: 'r' } } } },
      { reference: 'r', paymentId: 'pi_1' },
    ],
    [
      'a refund',
      { data: { object: { object: 'refund', id: 're_1', payment_intent: 'pi_1', metadata: { refund_id: 'k' } } } },
      { paymentId: 'pi_1', refundId: 're_1', refundKey: 'k' },
    ],
    ['nothing', [1], {}],
    ['no event', 'text', {}],
  ])('Stripe: %s', (_name, event, hint) => {
    expect(hintOf.stripe(event)).toEqual(hint);
  });

  test.each([
    [
      { event: 'payment_session.completed', data: { payment_session_id: 'ps-1', reference_id: 'r', payment_request_id: 'pr-1' } },
      { pageId: 'ps-1', reference: 'r', paymentId: 'pr-1' },
    ],
    [
      { event: 'refund.succeeded', data: { id: 'rfd-1', reference_id: 'k', payment_request_id: 'pr-1' } },
      { paymentId: 'pr-1', refundId: 'rfd-1', refundKey: 'k' },
    ],
    [{ event: 1, data: null }, {}],
  ])('Xendit: %j', (event, hint) => {
    expect(hintOf.xendit(event)).toEqual(hint);
  });
});
