import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import type { CurrencyCodeRecord } from 'currency-codes';
import { currencyCodes, digitsOf, isCurrency, stepOf } from '../../../src/money/currencies.ts';
import { amountMinor, currencyCode } from '../../../src/money/schemas.ts';

const require = createRequire(import.meta.url);
const oracle = require('currency-codes/data') as CurrencyCodeRecord[];

/** The standard's own list, for what the package leaves out: which codes have no minor unit. */
const list = readFileSync(require.resolve('currency-codes/iso-4217-list-one.xml'), 'utf8');
const withoutMinorUnit = new Set(
  [...list.matchAll(/<Ccy>(\w+)<\/Ccy>\s*<CcyNbr>\d+<\/CcyNbr>\s*<CcyMnrUnts>N\.A\.<\/CcyMnrUnts>/g)].map(([, code]) => code!),
);

/** Of 2025, after the oracle's list of 2024-06-25. */
const newer = { XCG: 2 };

test('each currency has the digits of ISO 4217, and none is missing', () => {
  const expected = oracle.filter(({ code }) => !withoutMinorUnit.has(code)).map(({ code, digits }) => [code, digits] as const);
  expect(expected.length).toBeGreaterThan(150);
  expect(Object.fromEntries(currencyCodes.map((code) => [code, digitsOf(code)]))).toEqual({
    ...Object.fromEntries(expected),
    ...newer,
  });
});

test('digits are those of the standard where Intl has others', () => {
  expect(['IDR', 'HUF', 'IQD', 'JPY', 'USD', 'CLF'].map(digitsOf)).toEqual([2, 2, 3, 0, 2, 4]);
});

test('a code without a minor unit is not a currency: metals, bonds, drawing rights, tests', () => {
  expect(withoutMinorUnit.size).toBe(13);
  for (const code of withoutMinorUnit) expect(isCurrency(code)).toBe(false);
  expect(() => digitsOf('XAU')).toThrow('XAU is not in the table of currencies');
});

describe('what a client gives', () => {
  test.each(['usd', 'Usd', 'XXX', 'XTS', 'XAU', 'BTC', 'US', 'USDT', '', ' USD', 'USD\n', 840, null, '__proto__', 'constructor'])(
    '%j is no currency',
    (code) => expect(currencyCode.required().validate(code).error).toBeDefined(),
  );

  test.each(currencyCodes)('%s is one', (code) => expect(currencyCode.validate(code).error).toBeUndefined());

  const bad = [
    0,
    12,
    '-1',
    '+1',
    '01',
    '00',
    '1.0',
    '1e3',
    ' 1',
    '1 ',
    '1\n',
    '',
    '١',
    '0x10',
    '12345678901234567890',
    null,
    true,
  ];
  test.each([...bad, '9223372036854775808'])('%j is no amount', (amount) =>
    expect(amountMinor.required().validate(amount).error).toBeDefined(),
  );

  test.each(['0', '1', '9007199254740993', '9223372036854775807'])('%j is one', (amount) =>
    expect(amountMinor.validate(amount)).toEqual({ value: amount }),
  );
});

test('the least that can be paid is a minor unit, but for the rupiah, whose sen nobody takes', () => {
  expect(currencyCodes.filter((code) => stepOf(code) !== 1n)).toEqual(['IDR']);
  expect(['JPY', 'USD', 'IDR', 'KWD'].map((code) => [digitsOf(code), stepOf(code)])).toEqual([
    [0, 1n],
    [2, 1n],
    [2, 100n],
    [3, 1n],
  ]);
  expect(() => stepOf('XAU')).toThrow('XAU is not in the table of currencies');
});
