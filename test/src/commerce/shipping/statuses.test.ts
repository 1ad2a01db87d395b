import { expect, test } from '@jest/globals';
import { isNews, mayBeCancelled, meanings } from '../../../../src/commerce/shipping/statuses.ts';
import { shipperStatuses } from '../../../../src/providers/shipper/provider.ts';

test('each of the fourteen words means one state of the order', () => {
  const of = (fulfillment: string) => shipperStatuses.filter((status) => meanings[status].fulfillment === fulfillment);
  expect(of('requested')).toEqual(['confirmed', 'scheduled', 'allocated', 'picking_up']);
  expect(of('shipped')).toEqual(['picked', 'dropping_off', 'on_hold']);
  expect(of('delivered')).toEqual(['delivered']);
  expect(of('returned')).toEqual(['return_in_transit', 'returned']);
  expect(of('failed')).toEqual(['rejected', 'disposed', 'cancelled', 'courier_not_found']);
  expect(Object.keys(meanings)).toHaveLength(14);
});

test('what is read late is no news, and what is told twice is none', () => {
  expect(isNews('', 'confirmed')).toBe(true);
  expect(isNews('picked', 'picking_up')).toBe(false);
  expect(isNews('picked', 'picked')).toBe(false);
  expect(isNews('delivered', 'dropping_off')).toBe(false);
  expect(isNews('cancelled', 'rejected')).toBe(true);
  expect(isNews('rejected', 'delivered')).toBe(true);
  expect([isNews('on_hold', 'dropping_off'), isNews('dropping_off', 'on_hold')]).toEqual([true, true]);
});

test('it can be cancelled in the first four states', () => {
  expect(shipperStatuses.filter(mayBeCancelled)).toEqual(['confirmed', 'scheduled', 'allocated', 'picking_up']);
});
