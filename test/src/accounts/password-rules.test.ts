import { describe, expect, test } from '@jest/globals';
import { dictionary } from '@zxcvbn-ts/language-common';
import { checkPassword } from '../../../src/accounts/password-rules.ts';

const check = (password: string, email = 'ada@example.com') => checkPassword('new_password', password, email);
const refused = (code: string) => ({
  code: 'invalid_request',
  details: [expect.objectContaining({ field: 'new_password', code })],
});
const common = (dictionary['passwords-common'] as string[]).filter((password) => password.length >= 12);

describe('passes', () => {
  test.each([
    ['twelve characters', 'twelve chars'],
    ['128', 'x'.repeat(128)],
    ['128 of them outside the first plane', '🔑'.repeat(128)],
    ['spaces only, since nothing is taken away from it', ' '.repeat(12)],
    ['the email and more', 'ada@example.com!'],
  ])('%s', async (_what, password) => {
    await expect(check(password)).resolves.toBeUndefined();
  });
});

describe('is refused', () => {
  test.each([
    ['eleven characters', 'x'.repeat(11), 'password.length'],
    ['eleven of two units each', '🔑'.repeat(11), 'password.length'],
    ['129', 'x'.repeat(129), 'password.length'],
    ['129 of two units each', '🔑'.repeat(129), 'password.length'],
    ['none', '', 'password.length'],
    ['the email', 'ada@example.com', 'password.email'],
    ['the email in other letters', 'ADA@Example.com', 'password.email'],
    ['the most common one', common[0]!, 'password.common'],
    ['a common one in other letters', common[3]!.toUpperCase(), 'password.common'],
  ])('%s', async (_what, password, code) => {
    await expect(check(password)).rejects.toMatchObject(refused(code));
  });
});

test('what is said of one holds nothing of it', async () => {
  for (const password of ['short one', 'ada@example.com', common[0]!]) {
    const error = (await check(password).catch((reason: unknown) => reason)) as Error & { details: unknown };
    expect(JSON.stringify([error.message, error.details])).not.toContain(password);
  }
});
