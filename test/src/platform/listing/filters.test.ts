import { describe, expect, test } from '@jest/globals';
import { contactFields } from '../../../../src/contacts/list.ts';
import { AppError } from '../../../../src/platform/errors.ts';
import { readFilters } from '../../../../src/platform/listing/filters.ts';
import { operators } from '../../../../src/platform/listing/operators.ts';

const read = (filters: unknown) =>
  readFilters(contactFields, { filters: typeof filters === 'string' ? filters : JSON.stringify(filters) }, 'query').conditions;
function faultOf(filters: unknown): { status: number; fields: (string | undefined)[]; message: string } {
  try {
    read(filters);
  } catch (error) {
    if (error instanceof AppError)
      return { status: error.status, fields: error.details?.map(({ field }) => field) ?? [], message: error.message };
    throw error;
  }
  throw new Error(`taken: ${JSON.stringify(filters)}`);
}
const id = '0190a5b0-0000-7000-8000-000000000000';

test('eq is meant where no operator is said; nothing given is no filter', () => {
  expect(readFilters(contactFields, {}, 'query')).toEqual({ conditions: [], groups: [] });
  expect(read([{ field: 'name', value: 'Ada' }])).toMatchObject([{ name: 'name', operator: 'eq', values: ['Ada'] }]);
});

test('the key of a custom field is everything after the first dot', () => {
  expect(read([{ field: 'custom_fields.a.b..c', value: 1 }])).toMatchObject([{ field: { type: 'json', key: 'a.b..c' } }]);
});

describe('which operator fits which field', () => {
  const order = ['gt', 'gte', 'lt', 'lte', 'between'];
  const equality = ['eq', 'neq', 'in', 'not_in'];
  const emptiness = ['is_empty', 'is_not_empty'];
  const parts = ['contains', 'not_contains', 'starts_with', 'ends_with'];
  const valueFor = (operator: string, scalar: string) => {
    if (emptiness.includes(operator)) return undefined;
    return operator === 'between' ? [scalar, scalar] : /in$/.test(operator) ? [scalar] : scalar;
  };

  test.each<[string, string, string[]]>([
    ['id', id, equality],
    ['name', 'Ada', [...operators]],
    ['phone_number', '+1', [...operators]],
    ['created_at', '2026-01-01', [...equality, ...order]],
    ['tags', 'vip', [...equality, ...parts, ...emptiness]],
    ['custom_fields.tier', 'gold', [...operators]],
  ])('%s', (field, scalar, fitting) => {
    for (const operator of operators) {
      const filters = [{ field, operator, value: operator === 'contains' ? scalar : valueFor(operator, scalar) }];
      if (fitting.includes(operator)) expect(read(filters)).toHaveLength(1);
      else expect([operator, faultOf(filters)]).toMatchObject([operator, { status: 422, fields: ['filters[0].operator'] }]);
    }
  });
});

describe('what is refused', () => {
  const at = (place: string) => `filters[0]${place}`;
  test.each<[string, unknown, string]>([
    ['no object', 5, at('')],
    ['null', null, at('')],
    ['a list', [], at('')],
    ['a group', { or: [] }, at('')],
    ['a further property', { field: 'name', value: 'x', not: true }, at('')],
    ['no field', { value: 'x' }, at('.field')],
    ['an unknown field', { field: 'colour', value: 'x' }, at('.field')],
    ['a field that is no text', { field: ['name'], value: 'x' }, at('.field')],
    ['a property of every object', { field: 'toString', value: 'x' }, at('.field')],
    ['a column that is not for filters', { field: 'search', value: 'x' }, at('.field')],
    ['SQL for a field', { field: 'name) or (true', value: 'x' }, at('.field')],
    ['custom fields without a key', { field: 'custom_fields', value: 'x' }, at('.field')],
    ['an empty key', { field: 'custom_fields.', value: 'x' }, at('.field')],
    ['too long a key', { field: `custom_fields.${'k'.repeat(129)}`, value: 'x' }, at('.field')],
    ['a key with NUL', { field: 'custom_fields.a\u0000', value: 'x' }, at('.field')],
    ['a key with half a character', { field: 'custom_fields.\ud800', value: 'x' }, at('.field')],
    ['a key of a column', { field: 'name.first', value: 'x' }, at('.field')],
    ['an unknown operator', { field: 'name', operator: 'like', value: 'x' }, at('.operator')],
    ['an operator in capitals', { field: 'name', operator: 'EQ', value: 'x' }, at('.operator')],
    ['an operator that is no text', { field: 'name', operator: null, value: 'x' }, at('.operator')],
    ['no value', { field: 'name' }, at('.value')],
    ['null for text', { field: 'name', value: null }, at('.value')],
    ['a number for text', { field: 'name', value: 5 }, at('.value')],
    ['NUL', { field: 'name', value: 'a\u0000' }, at('.value')],
    ['half a character', { field: 'name', value: '\udc00' }, at('.value')],
    ['a list for eq', { field: 'name', value: ['x'] }, at('.value')],
    ['an object', { field: 'custom_fields.a', value: { b: 1 } }, at('.value')],
    ['null for JSON', { field: 'custom_fields.a', value: null }, at('.value')],
    ['a boolean to be greater', { field: 'custom_fields.a', operator: 'gt', value: true }, at('.value')],
    ['a number to be contained', { field: 'custom_fields.a', operator: 'contains', value: 5 }, at('.value')],
    ['no list for in', { field: 'name', operator: 'in', value: 'x' }, at('.value')],
    ['an empty list', { field: 'name', operator: 'in', value: [] }, at('.value')],
    ['a list with null', { field: 'name', operator: 'not_in', value: ['x', null] }, at('.value')],
    ['more than a hundred', { field: 'custom_fields.a', operator: 'in', value: Array(101).fill(1) }, at('.value')],
    ['one for between', { field: 'custom_fields.a', operator: 'between', value: [1] }, at('.value')],
    ['between two types', { field: 'custom_fields.a', operator: 'between', value: [1, '2'] }, at('.value')],
    ['a value for emptiness', { field: 'name', operator: 'is_empty', value: true }, at('.value')],
    ['no id', { field: 'id', value: 'x' }, at('.value')],
    ['no time', { field: 'created_at', value: 'yesterday' }, at('.value')],
    ['a time without zone', { field: 'created_at', value: '2026-01-01T00:00:00' }, at('.value')],
    ['a day no calendar has', { field: 'created_at', value: '2026-02-30' }, at('.value')],
    ['a month no calendar has', { field: 'created_at', value: '2026-13-01' }, at('.value')],
    ['an hour no day has', { field: 'created_at', value: '2026-02-03T24:00:00Z' }, at('.value')],
    ['seconds of 1970', { field: 'created_at', value: 1_700_000_000 }, at('.value')],
  ])('%s', (_what, filter, field) => {
    expect(faultOf([filter])).toMatchObject({ status: 422, fields: [field] });
  });

  test('a number that no JSON holds', () => {
    expect(faultOf('[{"field": "custom_fields.a", "value": 1e999}]')).toMatchObject({
      status: 422,
      fields: ['filters[0].value'],
    });
  });

  test('__proto__ as a property', () => {
    expect(faultOf('[{"field": "name", "__proto__": {"value": "x"}}]')).toMatchObject({ status: 422, fields: ['filters[0]'] });
  });

  test('more than 20, more than 4 KB', () => {
    const one = { field: 'name', value: 'x' };
    expect(read(Array(20).fill(one))).toHaveLength(20);
    expect(faultOf(Array(21).fill(one))).toMatchObject({ status: 422, fields: ['filters'] });
    expect(faultOf([{ field: 'name', value: '王'.repeat(1_400) }])).toMatchObject({ status: 422, fields: ['filters'] });
  });

  test.each(['', '{', '{}', 'null', '"name"', '[1] [2]', 'x'])('%j is no JSON array: 400', (text) => {
    expect(faultOf(text).status).toBe(400);
  });

  test('all of them at once, and no more than they are', () => {
    const filters = [{ field: 'x' }, { field: 'name', value: 'Ada' }, { field: 'name', operator: 'x' }, 7];
    expect(faultOf(filters)).toMatchObject({ fields: ['filters[0].field', 'filters[2].operator', 'filters[3]'] });
    expect(faultOf(filters).message).toBe('3 filters are not valid');
  });
});
