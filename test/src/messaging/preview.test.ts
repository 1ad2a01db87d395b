import { expect, test } from '@jest/globals';
import { previewOf } from '../../../src/messaging/conversations.ts';

test('a preview ends before a character that does not fit whole', () => {
  const body = `${'x'.repeat(119)}👍 and more`;
  expect(previewOf('text', { body })).toBe('x'.repeat(119));
  expect(previewOf('text', { body: `${'x'.repeat(118)}👍 and more` })).toBe(`${'x'.repeat(118)}👍`);
});
