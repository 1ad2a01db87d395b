import { describe, expect, test } from '@jest/globals';
import { otherSpelling, phoneKey } from '../../../../src/contacts/identities/phone-spellings.ts';
import { fc } from '../../../support/fast-check.ts';
import { formsOf } from '../../../support/phone-forms.ts';

describe('each form of a phone leads to the other', () => {
  test.each(Object.entries(formsOf))('%s', (_country, forms) => {
    fc.assert(
      fc.property(forms, ({ long, short }) => {
        expect(otherSpelling(long)).toBe(short);
        expect(otherSpelling(short)).toBe(long);
        expect(phoneKey(`+${short}`)).toBe(long);
        expect(phoneKey(long)).toBe(long);
      }),
      { numRuns: 50 },
    );
  });
});

test('the other form of the other form is the number itself', () => {
  const number = fc.tuple(fc.constantFrom('55', '52', '54', '225', '229', '1', '49'), fc.stringMatching(/^\d{7,11}$/));
  fc.assert(
    fc.property(number, ([country, rest]) => {
      const other = otherSpelling(country + rest);
      if (other !== undefined) expect(otherSpelling(other)).toBe(country + rest);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['a landline of São Paulo', '551140041234'],
  ['a mobile number that never had eight digits', '5511941234567'],
  ['a number of Mexico that is too short', '52551234567'],
  ['a landline of Ivory Coast', '22520304050'],
  ['a number of another network of Ivory Coast', '2250144712345'],
  ['a number of the United States', '16505551234'],
  ['nothing', ''],
])('%s has one form', (_what, digits) => {
  expect(otherSpelling(digits)).toBeUndefined();
});
