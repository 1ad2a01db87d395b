import { expect, test } from '@jest/globals';
import { contactFields } from '../../../../src/contacts/list.ts';
import { orderSql, readSort } from '../../../../src/platform/listing/sort.ts';

test.each([
  ['name', 'fold(k.name), k.id'],
  ['-created_at', 'k.created_at desc, k.id desc'],
  [' -updated_at , name ', 'k.updated_at desc, fold(k.name), k.id'],
  ['name,-created_at,-updated_at', 'fold(k.name), k.created_at desc, k.updated_at desc, k.id desc'],
])('%s', (text, order) => {
  expect(orderSql(readSort(contactFields, text, 'query'))).toBe(order);
});

test.each(['', 'id', 'search', 'email', '--name', '+name', 'name desc', 'name,', 'toString', '-', 'name,name', 'name,-name'])(
  '%j is refused',
  (text) => {
    expect(() => readSort(contactFields, text, 'query')).toThrow(
      expect.objectContaining({ status: 422, details: [expect.objectContaining({ field: 'sort', location: 'query' })] }),
    );
  },
);
