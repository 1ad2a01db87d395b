import { describe, expect, test } from '@jest/globals';
import type { Field, ObjectType } from '../../../src/records/types/definition.ts';
import { displayNameOf, indexedValues, searchTextOf } from '../../../src/records/types/indexed-values.ts';
import { type FieldType, fieldTypes } from '../../../src/records/types/type.entity.ts';
import { assertSize, mergedValues, readValues } from '../../../src/records/types/values.ts';

const userId = '01932D5F-3A0E-7CC4-8F4E-0242AC12000A';
const options = ['red', 'green'].map((value) => ({ value, label: value.toUpperCase() }));

const fieldOf = (name: string, type: FieldType, more: Partial<Field> = {}): Field => ({
  id: `id of ${name}`,
  name,
  label: name,
  type,
  isRequired: false,
  isUnique: false,
  isIndexed: false,
  isSearchable: false,
  defaultValue: null,
  min: null,
  max: null,
  maxLength: null,
  options: type === 'select' || type === 'multi_select' ? options : [],
  position: 0,
  indexState: null,
  ...more,
});
const typeOf = (...fields: Field[]): ObjectType => ({
  id: 'id',
  kind: 'thing',
  label: 'Thing',
  pluralLabel: 'Things',
  description: '',
  displayField: fields[0]?.name ?? 'name',
  isStandard: false,
  version: 1,
  fields,
  relations: [],
  createdAt: null,
  updatedAt: null,
});
const all = typeOf(...fieldTypes.map((type) => fieldOf(type, type)));
const read = (given: Record<string, unknown>, type = all, isNew = true) => readValues(type, given, { isNew });
const stored = (type: FieldType, value: unknown) => read({ [type]: value }).values[type];
const codesOf = (given: Record<string, unknown>, type = all) => read(given, type).faults.map(({ path, code }) => [path, code]);

/** A value of each type, as it is given and as it is stored. */
const right: Record<FieldType, [unknown, unknown][]> = {
  text: [[' Ada ', 'Ada']],
  long_text: [['a\nb ', 'a\nb ']],
  number: [
    [1.5, 1.5],
    [-0, 0],
  ],
  integer: [[-7, -7]],
  boolean: [[false, false]],
  date: [['2024-02-29', '2024-02-29']],
  datetime: [
    ['2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T00:00:00.123456Z', '2026-01-01T00:00:00.123Z'],
  ],
  select: [['red', 'red']],
  multi_select: [
    [
      ['green', 'red'],
      ['green', 'red'],
    ],
  ],
  email: [[' Ada@Example.COM ', 'ada@example.com']],
  phone: [['1 (650) 555-1234', '+16505551234']],
  url: [['https://example.com/a?b=c', 'https://example.com/a?b=c']],
  currency: [
    [
      { amount_minor: '9223372036854775807', currency_code: 'JPY' },
      { amount_minor: '9223372036854775807', currency_code: 'JPY' },
    ],
  ],
  user: [[userId, userId.toLowerCase()]],
  json: [[{ a: [1, null, 'x'] }, { a: [1, null, 'x'] }]],
};

test.each(fieldTypes.flatMap((type) => right[type].map(([given, value]): [FieldType, unknown, unknown] => [type, given, value])))(
  '%s takes %j and stores %j',
  (type, given, value) => {
    expect(read({ [type]: given }).faults).toEqual([]);
    expect(Object.is(stored(type, given), value) || stored(type, given)).toEqual(Object.is(stored(type, given), value) || value);
  },
);

/** Types whose values include a value of another. */
const takenToo: Partial<Record<FieldType, FieldType[]>> = {
  text: ['long_text', 'date', 'datetime', 'select', 'email', 'phone', 'url', 'user'],
  long_text: ['text', 'date', 'datetime', 'select', 'email', 'phone', 'url', 'user'],
  number: ['integer'],
};

describe('a value of every other type is refused', () => {
  const pairs = fieldTypes
    .filter((type) => type !== 'json')
    .flatMap((type) => fieldTypes.map((other): [FieldType, FieldType] => [type, other]))
    .filter(([type, other]) => type !== other && !takenToo[type]?.includes(other));
  test.each(pairs)('%s refuses a %s', (type, other) => {
    expect(codesOf({ [type]: right[other][0]![0] })).toHaveLength(1);
  });
});

const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);

test.each([
  ['text', 'a\u0000b', 'text', 'string.nul'],
  ['text', 'a\ud800', 'text', 'string.unicode'],
  ['text', 'a'.repeat(1_001), 'text', 'string.max'],
  ['long_text', 'a'.repeat(20_001), 'long_text', 'string.max'],
  ['number', Number.POSITIVE_INFINITY, 'number', 'number.base'],
  ['number', 1e31, 'number', 'number.unsafe'],
  ['number', 1e-31, 'number', 'number.unsafe'],
  ['integer', 1.5, 'integer', 'number.integer'],
  ['integer', 2 ** 53, 'integer', 'number.integer'],
  ['date', '2026-02-30', 'date', 'date.format'],
  ['date', '10000-01-01', 'date', 'date.format'],
  ['datetime', '2026-01-01T00:00:00', 'datetime', 'date.format'],
  ['datetime', '9999-12-31T23:59:59-14:00', 'datetime', 'date.format'],
  ['select', 'RED', 'select', 'any.only'],
  ['multi_select', ['red', 'pink'], 'multi_select[1]', 'any.only'],
  ['multi_select', ['red', 'red'], 'multi_select', 'array.unique'],
  ['url', 'javascript:alert(1)', 'url', 'string.uri'],
  ['url', 'https://a b', 'url', 'string.uri'],
  ['phone', '12', 'phone', 'phone.possible'],
  ['phone', '1'.repeat(1_000_000), 'phone', 'phone.possible'],
  ['currency', { amount_minor: 5, currency_code: 'EUR' }, 'currency.amount_minor', 'string.pattern.base'],
  ['currency', { amount_minor: '-1', currency_code: 'EUR' }, 'currency.amount_minor', 'string.pattern.base'],
  ['currency', { amount_minor: '01', currency_code: 'EUR' }, 'currency.amount_minor', 'string.pattern.base'],
  ['currency', { amount_minor: '1.0', currency_code: 'EUR' }, 'currency.amount_minor', 'string.pattern.base'],
  ['currency', { amount_minor: ' 1', currency_code: 'EUR' }, 'currency.amount_minor', 'string.pattern.base'],
  ['currency', { amount_minor: '9223372036854775808', currency_code: 'EUR' }, 'currency.amount_minor', 'string.pattern.base'],
  ['currency', { amount_minor: '1', currency_code: 'usd' }, 'currency.currency_code', 'any.only'],
  ['currency', { amount_minor: '1', currency_code: 'XXX' }, 'currency.currency_code', 'any.only'],
  ['currency', { amount_minor: '1', currency_code: 'BTC' }, 'currency.currency_code', 'any.only'],
  ['currency', { amount_minor: '1', currency_code: 'EUR', more: 1 }, 'currency', 'object.base'],
  ['json', deep(33), 'json', 'object.depth'],
  ['json', { a: 'b\u0000' }, 'json.a', 'string.nul'],
  ['json', { a: 1e300 }, 'json', 'number.unsafe'],
  ['json', JSON.parse('{"a": 1e400}'), 'json', 'number.unsafe'],
])('%s refuses %j at %s by %s', (type, value, path, code) => {
  expect(codesOf({ [type]: value })).toEqual([[path, code]]);
});

test('json of 32 levels is taken', () => {
  expect(codesOf({ json: deep(32) })).toEqual([]);
});

test.each([[null], [''], ['   '], [[]], [undefined]])(
  '%j is no value: the field is removed, and a required one refused',
  (nothing) => {
    expect(read({ text: nothing })).toMatchObject({ values: {}, removed: ['text'], faults: [] });
    const must = typeOf(fieldOf('must', 'text', { isRequired: true }));
    expect(codesOf({ must: nothing }, must)).toEqual([['must', 'any.required']]);
  },
);

test('bounds, lengths, defaults, and what a type does not know', () => {
  const type = typeOf(
    fieldOf('n', 'number', { min: 1, max: 2 }),
    fieldOf('t', 'text', { maxLength: 3 }),
    fieldOf('u', 'text', { isUnique: true }),
    fieldOf('d', 'text', { defaultValue: 'x', isRequired: true }),
    fieldOf('must', 'boolean', { isRequired: true }),
  );
  expect(codesOf({ n: 0, t: 'abcd', u: 'a'.repeat(201), other: 1, __proto__: 1, must: true }, type)).toEqual([
    ['n', 'number.min'],
    ['t', 'string.max'],
    ['u', 'string.max'],
    ['other', 'object.unknown'],
  ]);
  expect(codesOf({ n: 3 }, type)).toEqual([
    ['n', 'number.max'],
    ['must', 'any.required'],
  ]);
  expect(codesOf(JSON.parse('{"__proto__": 1, "constructor": 2, "must": false}'), type).map(([path]) => path)).toEqual([
    '__proto__',
    'constructor',
  ]);
  expect(read({ must: false }, type).values).toEqual({ must: false, d: 'x' });
  expect(read({}, type, false)).toEqual({ values: {}, removed: [], faults: [] });
  expect(mergedValues({ n: 1, t: 'a' }, read({ n: 2, t: null }, type, false))).toEqual({ n: 2 });
});

test('a record has 64 kB at most', () => {
  expect(() => assertSize({ a: 'x'.repeat(65_528 - 2) })).not.toThrow();
  expect(() => assertSize({ a: 'x'.repeat(65_529) })).toThrow('must not be larger than 65536 bytes');
});

test('one row an option, two for a currency, one for each other indexed value, and its names', () => {
  const ready = { indexState: 'ready', isIndexed: true } as const;
  const type = typeOf(
    fieldOf('name', 'select', ready),
    fieldOf('many', 'multi_select', { indexState: 'building', isSearchable: true }),
    fieldOf('price', 'currency', ready),
    fieldOf('free', 'text', { isSearchable: true }),
    fieldOf('done', 'boolean', ready),
    fieldOf('day', 'date', ready),
  );
  const { values } = read(
    {
      name: 'red',
      many: ['green', 'red'],
      price: { amount_minor: '12', currency_code: 'EUR' },
      free: 'words',
      done: false,
      day: '2026-01-01',
    },
    type,
  );
  const rows = indexedValues(type, values).map(({ field_id, ordinal, text, number, time }) => [
    field_id.replace('id of ', ''),
    ordinal,
    text ?? number ?? time,
  ]);
  expect(rows).toEqual([
    ['name', 0, 'red'],
    ['many', 0, 'green'],
    ['many', 1, 'red'],
    ['price', 0, '12'],
    ['price', 1, 'EUR'],
    ['done', 0, '0'],
    ['day', 0, '2026-01-01T00:00:00Z'],
  ]);
  expect(displayNameOf(type, values)).toBe('RED');
  expect(displayNameOf(type, {})).toBe('');
  expect(searchTextOf(type, values)).toBe('GREEN, RED\nwords');
});
