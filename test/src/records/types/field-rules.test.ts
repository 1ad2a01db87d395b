import { expect, test } from '@jest/globals';
import type { Field } from '../../../../src/records/types/definition.ts';
import { faultsOfFields, maxFieldsBytes, maxOptions } from '../../../../src/records/types/field-rules.ts';
import { givenField } from '../../../../src/records/types/given-field.ts';

const full = (count: number): Field[] =>
  Array.from({ length: count }, (_, number) => {
    const options = Array.from({ length: maxOptions }, (_one, place) => ({ value: `${place}`.padEnd(100, 'o') }));
    return givenField({ name: `field${number}`, type: 'select', options }, undefined);
  });
const codesOf = (fields: Field[], before?: Field[]) => faultsOfFields(fields, before).map(({ field, code }) => [field, code]);
const refused = [['options', 'limit_reached']];

test('the fields of a type have a bound in bytes, whatever their options and defaults', () => {
  expect(codesOf(full(4))).toEqual([]);
  expect(codesOf(full(6))).toEqual(refused);
  const text = (length: number) => [givenField({ name: 'notes', type: 'json', default: 'x'.repeat(length) }, undefined)];
  expect(codesOf(text(maxFieldsBytes - 1_000))).toEqual([]);
  expect(codesOf(text(maxFieldsBytes))).toEqual(refused);
});

test('fields that are larger already may become smaller, not larger', () => {
  expect(codesOf(full(7), full(8))).toEqual([]);
  expect(codesOf(full(9), full(8))).toEqual(refused);
});
