import { describe, expect, test } from '@jest/globals';
import { numberFault } from '../../../src/platform/kept-numbers.ts';
import { fc } from '../../support/fast-check.ts';

const faultOf = (json: string) => numberFault(Buffer.from(json));

describe('a number that cannot be kept', () => {
  test.each([
    ['1e400', ''],
    ['{"a":-1e400}', 'a'],
    ['{"a":{"b":[1,123456789012345678901234567890]}}', 'a.b[1]'],
    ['{"a":1,"b":9007199254740993}', 'b'],
    ['[0.1234567890123456789012]', '[0]'],
    ['{"a":1e-400}', 'a'],
    ['{"text \\" 1e400":"1e400","ü":[{"x y":1e309}]}', 'ü[0].x y'],
    ['\ufeff{"a":1e400}', 'a'],
  ])('%s: its field is named', (json, field) => {
    expect(faultOf(json)).toMatchObject({ field, code: 'number.unsafe' });
  });

  test.each([
    '0',
    '-0',
    '-0.0000000000000000000',
    '1.50000000000000000000000',
    '100000000000000000000000000000',
    '1e300',
    '1E+2',
    '5e-324',
    '0.1',
    '0.30000000000000004',
    '9007199254740992',
    '106.82715300000001',
    '"1e400"',
    '{"123456789012345678901234567890":"\\\\"}',
    '{"a":1e400,"a":1}',
    '"\\"1e400"',
  ])('%s is kept', (json) => {
    expect(faultOf(json)).toBeUndefined();
  });

  test('whatever JavaScript writes is kept', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(faultOf(JSON.stringify(value))).toBeUndefined();
      }),
    );
  });

  test('more digits than it holds are found at any place', () => {
    const path = fc.array(fc.constantFrom('a', 'b"', 'ü', '\\'), { maxLength: 4 });
    fc.assert(
      fc.property(path, fc.bigInt({ min: 2n ** 53n, max: 10n ** 40n }), (names, number) => {
        const json = names.reduceRight(
          (inner, name) => `{"z":"${'9'.repeat(30)}",${JSON.stringify(name)}:${inner}}`,
          String(number),
        );
        const isExact = BigInt(Number(number)) === number;
        expect(faultOf(json)?.code).toBe(isExact ? undefined : 'number.unsafe');
      }),
    );
  });

  test('a number as long as a body is read once', () => {
    for (const json of [
      `0.${'0'.repeat(1_000_000)}1`,
      `1${'0'.repeat(1_000_000)}`,
      '1'.repeat(1_000_000),
      '1e'.padEnd(400_000, '9'),
    ])
      expect(faultOf(json)?.code).toBe('number.unsafe');
    expect(faultOf(`[${'1,'.repeat(400_000)}1]`)).toBeUndefined();
    expect(faultOf(`"${'\\"'.repeat(400_000)}"`)).toBeUndefined();
  });
});
