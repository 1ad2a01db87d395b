import { expect, test } from '@jest/globals';
import { messageIdIn, tokenOf } from '../../../src/flows/token.ts';
import { fc } from '../../support/fast-check.ts';
import { testSecrets } from '../../support/secrets.ts';

const organization = '01932d5f-3a0e-7cc4-8f4e-0242ac120001';
const message = '01932d5f-3a0e-7cc4-8f4e-0242ac120002';
const token = tokenOf(testSecrets, organization, message);
const read = (text: string) => messageIdIn(testSecrets, organization, text);

test('a token names its message, and is the same each time', () => {
  expect(token).toMatch(/^[0-9a-f-]{36}\.[\w-]{43}$/);
  expect([read(token), tokenOf(testSecrets, organization, message)]).toEqual([message, token]);
});

test('any token with one character changed, added or left out is not ours', () => {
  fc.assert(
    fc.property(fc.nat(token.length - 1), fc.string({ maxLength: 2, unit: 'binary-ascii' }), (at, put) => {
      const changed = token.slice(0, at) + put + token.slice(at + 1);
      fc.pre(changed !== token);
      expect(read(changed)).toBeUndefined();
    }),
  );
});

test('any text is read without an error', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => expect(read(text)).toBeUndefined()));
});

test('a token of another organization is not ours', () => {
  expect(messageIdIn(testSecrets, message, token)).toBeUndefined();
});
