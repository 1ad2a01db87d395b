import { expect, test } from '@jest/globals';
import { linkOf } from '../../../src/mails/links.ts';

test.each([
  [{ appUrl: 'https://app.example.com', publicUrl: 'https://api.example.com', port: 3000 }, 'https://app.example.com/invitation'],
  [{ appUrl: 'https://example.com/app//?a=1#b', port: 3000 }, 'https://example.com/app/invitation'],
  [{ publicUrl: 'https://api.example.com/', port: 3000 }, 'https://api.example.com/invitation'],
  [{ port: 3100 }, 'http://localhost:3100/invitation'],
])('%j leads to %s', (config, page) => {
  expect(linkOf(config, 'invitation', 'a b+c')).toBe(`${page}#token=a%20b%2Bc`);
});

test('a new password has its own page', () => {
  expect(linkOf({ port: 3000 }, 'password_reset', 't')).toBe('http://localhost:3000/reset-password#token=t');
});
