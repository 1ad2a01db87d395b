import { createHmac } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { isSignedWith } from '../../../src/provider-webhooks/signature.ts';

const body = Buffer.from('{"text":"zw\\u00f6lf"}');
const hex = createHmac('sha256', 'secret').update(body).digest('hex');

test('holds over the very bytes', () => {
  expect(isSignedWith('secret', body, `sha256=${hex}`)).toBe(true);
  expect(isSignedWith('secret', body, `SHA256=${hex.toUpperCase()}`)).toBe(true);
  expect(isSignedWith('secret', Buffer.from(JSON.stringify(JSON.parse(body.toString()))), `sha256=${hex}`)).toBe(false);
});

test.each([
  undefined,
  '',
  hex,
  `sha256=${hex.slice(1)}`,
  `sha256=${hex}0`,
  `sha1=${hex}`,
  ` sha256=${hex}`,
  `sha256=${'é'.repeat(64)}`,
])('not with %j', (header) => {
  expect(isSignedWith('secret', body, header)).toBe(false);
});

test('not with another secret', () => {
  expect(isSignedWith('Secret', body, `sha256=${hex}`)).toBe(false);
});
