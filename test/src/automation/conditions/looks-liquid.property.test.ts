import { expect, test } from '@jest/globals';
import { looksLiquid } from '../../../../src/automation/conditions/comparison-faults.ts';
import { conditionFaults } from '../../../../src/automation/conditions/fields.ts';
import { fc } from '../../../support/fast-check.ts';

const pieces = fc.array(fc.constantFrom('{', '}', '%', 'a', '\n'), { maxLength: 12 }).map((letters) => letters.join(''));

test('Liquid is found where an opening has its closing after it, over lines too', () => {
  fc.assert(fc.property(pieces, (text) => looksLiquid(text) === /\{\{.*\}\}|\{%.*%\}/s.test(text)));
});

const faultsOf = (value: unknown, operator?: string) =>
  conditionFaults({ field: 'contact.name', ...(operator && { operator }), value }, ['conditions']).map(({ field, code }) => [
    field,
    code,
  ]);

test('a text of a condition has at most 4096 characters, one of a list too', () => {
  const braces = '{'.repeat(250_000);
  expect(faultsOf('a'.repeat(4_096))).toEqual([]);
  expect(faultsOf('a'.repeat(4_097))).toEqual([['conditions.value', 'string.max']]);
  expect(faultsOf(braces)).toEqual([['conditions.value', 'string.max']]);
  expect(faultsOf(['Ada', braces], 'in')).toEqual([['conditions.value', 'string.max']]);
});

test('conditions beyond the fiftieth are counted, not looked at', () => {
  const many = { all: Array.from({ length: 2_000 }, () => ({ field: 'nobody.name' })) };
  const codes = conditionFaults(many, ['conditions']).map(({ code }) => code);
  expect(codes.filter((code) => code === 'any.only')).toHaveLength(50);
  expect(codes).toContain('array.max');
});
