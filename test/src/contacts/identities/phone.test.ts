import { expect, test } from '@jest/globals';
import { phoneNumber, toE164 } from '../../../../src/contacts/identities/phone.ts';

test.each([
  ['+1 (650) 555-1234', '+16505551234'],
  ['16505551234', '+16505551234'],
  ['+1 555 078 3881', '+15550783881'],
  [' +62 812-3456-789 ', '+628123456789'],
  ['+49.30.123456', '+4930123456'],
  ['15550783881', '+15550783881'],
  // As a messaging app spells a number of Brazil that nobody is given so.
  ['551187654321', '+551187654321'],
])('%s is %s', (written, number) => {
  expect(toE164(written)).toBe(number);
  expect(phoneNumber.validate(written).value).toBe(number);
});

test.each([
  '',
  'x',
  '+',
  '12',
  '+1650555123456789012',
  '0612345678',
  '+1 650 CALL ME',
  '+999123456789',
  // Of the United States and written as there, they would be numbers of Singapore.
  '(650) 555-1234',
  '6505551234',
  '+49 1512 3456789 ext 5',
])('%j is none', (written) => {
  expect(toE164(written)).toBeUndefined();
  expect(phoneNumber.required().validate(written).error).toBeDefined();
});

test('a text of more than 250 characters is no phone, whatever marks are in it', () => {
  const written = (blanks: number) => `+1${' '.repeat(blanks)}6505551234`;
  expect(toE164(written(238))).toBe('+16505551234');
  expect(toE164(written(239))).toBeUndefined();
});
