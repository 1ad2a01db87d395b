import { expect, test } from '@jest/globals';
import { couriersOf } from '../../../../src/commerce/delivery/couriers.ts';

test('the couriers that the connection names, else the usual ones', () => {
  expect(couriersOf({ couriers: 'jne, SiCepat,' })).toEqual(['jne', 'sicepat']);
  for (const settings of [{}, { couriers: '' }, { couriers: ' , ' }, { couriers: ['jne'] }])
    expect(couriersOf(settings)).toEqual(expect.arrayContaining(['jne', 'sicepat', 'gojek']));
});
