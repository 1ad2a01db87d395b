import { describe, expect, test } from '@jest/globals';
import { exampleOrder } from '../../../api/commerce/order-view.ts';
import { checkReply, definitionOf } from '../../support/contract.ts';
import { faultsOfOrder } from '../../support/whole-order.ts';

const order = { ...exampleOrder, shipping_metadata: { subscription: { prepaid_deliveries_remaining: 1 } } };
const [item] = exampleOrder.items;

describe('what every order of every reply is held to', () => {
  test('the example of the document is one', () => expect(faultsOfOrder(order)).toEqual([]));

  test.each([
    ['no phone', { customer_phone: undefined }, ['customer_phone is missing']],
    ['no name but null', { customer_name: null }, ['customer_name is null, or holds a null']],
    [
      'a null deep in a field of the spec',
      { shipping_metadata: { payment: { checkout_url: null } } },
      ['shipping_metadata is null, or holds a null'],
    ],
    ['uploads of null', { checkout_uploads: null }, []],
    ['a total that is one off', { total_amount: 9501 }, ['not total = subtotal − discount + fee', 'not total = Σ items + fee']],
    ['an item that is one off', { items: [{ ...item, total_amount: 9001 }] }, ['not total = Σ items + fee']],
    ['a unit that is one off', { items: [{ ...item, unit_amount: 5001 }] }, ['not subtotal = Σ unit × quantity']],
    ['a share that is one off', { items: [{ ...item, discount_amount: 999 }] }, ['not discount = Σ discounts of the items']],
  ])('%s', (_, change, faults) => expect(faultsOfOrder({ ...order, ...change })).toEqual(faults));

  test.each([
    ['commerce.orders.get', (broken: object) => broken],
    ['commerce.orders.list', (broken: object) => ({ items: [exampleOrder, broken], meta: { has_more: false, limit: 50 } })],
  ])('a reply of %s that breaks it fails its test', (operationId, wrap) => {
    const headers = new Headers({ 'x-request-id': '1', 'content-type': 'application/json' });
    const reply = (shown: object) => ({ status: 200, headers, text: JSON.stringify(wrap(shown)) });
    const check = (shown: object) => () => checkReply(definitionOf(operationId), reply(shown));
    expect(check(exampleOrder)).not.toThrow();
    expect(check({ ...exampleOrder, total_amount: 9501 })).toThrow('not total = Σ items + fee');
  });
});
