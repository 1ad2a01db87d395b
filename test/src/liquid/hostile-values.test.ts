import { describe, expect, test } from '@jest/globals';
import { liquidFaults } from '../../../src/liquid/faults.ts';
import { maxRendered, maxTogether, maxWork } from '../../../src/liquid/limits.ts';
import { renderValue } from '../../../src/liquid/value.ts';
import { fc } from '../../support/fast-check.ts';
import { liquidWork } from '../../support/liquid-work.ts';
import { hostileValues, outcomeOf } from './hostile-values.ts';

/** The shortest step that a text can name, `|plus:1`, has 7 characters; a tag or an output is read twice. */
const maxSteps = maxTogether.characters / 7 + 2 * maxTogether.nodes;

describe('a value is rendered or cut off in a bounded number of steps:', () => {
  test.each(hostileValues)('%s', (_title, value) => {
    const variables = { event: null, contact: null };
    expect(liquidFaults(value, [], { of: 'a step', variables })).toEqual([]);
    let outcome = '';
    const { steps, characters } = liquidWork(() => {
      outcome = outcomeOf(value) ?? '';
    });
    expect(steps).toBeLessThan(maxSteps);
    expect(characters).toBeLessThanOrEqual(maxWork);
    expect(outcome.length).toBeLessThan(maxRendered + 4_096);
  });
});

test('no text and no scope make it throw anything but render_failed, and nothing of the engine is shown', () => {
  const piece = fc.constantFrom(
    ...[
      '{{',
      '}}',
      '{%',
      '%}',
      '{% if ',
      '{% endif %}',
      '{% assign x = ',
      '| append: ',
      '| default: ',
      '| join: ',
      '| split: ""',
    ],
    ...[
      'contact',
      '.name',
      '.a',
      '[',
      ']',
      '(1..9)',
      '"',
      ' ',
      'x',
      '1',
      ' == ',
      ' contains ',
      '.constructor',
      '.__proto__',
      'nil',
      'empty',
    ],
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join('')),
    fc.array(piece, { maxLength: 8 }).map((pieces) => `{{ contact${pieces.join('')} }}`),
  );
  fc.assert(
    fc.property(fc.oneof(text, fc.array(text), fc.dictionary(fc.string(), text)), fc.anything(), (value, contact) => {
      let outcome: unknown;
      try {
        outcome = renderValue(value, { contact, x: contact }, 'UTC');
      } catch (error) {
        expect(error).toMatchObject({ code: 'render_failed' });
      }
      expect(JSON.stringify(outcome) ?? '').not.toMatch(/\[native code\]|function Object/);
    }),
  );
});
