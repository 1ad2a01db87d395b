import { expect, test } from '@jest/globals';
import { includesText } from '../../../../src/automation/conditions/includes.ts';
import { fc } from '../../../support/fast-check.ts';

const few = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 4 });
/** Longer than what the engine's own search is asked for, and like themselves. */
const part = fc
  .tuple(few, few, fc.integer({ min: 130, max: 200 }))
  .map(([one, other, times]) => (one + other).repeat(times) + one);

test('a text includes what the engine says it includes', () => {
  fc.assert(
    fc.property(part, few, few, fc.boolean(), (text, before, after, isCut) => {
      const whole = before + (isCut ? text.slice(1) : text) + after + text.slice(0, 200);
      expect(includesText(whole, text)).toBe(whole.includes(text));
    }),
  );
});

test('four thousand characters that nearly fit everywhere are found among a million', () => {
  const nearly = `${'a'.repeat(2_000)}b${'a'.repeat(2_000)}`;
  expect(includesText('a'.repeat(1_000_000), nearly)).toBe(false);
  expect(includesText(`${'a'.repeat(1_000_000)}b${'a'.repeat(2_000)}`, nearly)).toBe(true);
});
