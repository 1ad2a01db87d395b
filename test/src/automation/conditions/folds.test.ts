import { expect, test } from '@jest/globals';
import { conditionHolds } from '../../../../src/automation/conditions/compare.ts';
import { foldsOnce } from '../../../../src/automation/conditions/folds.ts';
import type { Condition } from '../../../../src/platform/listing/filters.ts';

test('a text that many conditions ask about is folded once', () => {
  const folded: string[] = [];
  const noting = (text: string) => {
    folded.push(text);
    return text.toLowerCase();
  };
  const folds = foldsOnce({ caseless: noting, folded: noting });
  const field = { type: 'json' } as Condition['field'];
  const asked = (values: string[]): Condition => ({ name: 'x', field, operator: 'contains', values });
  expect(conditionHolds(asked(['К']), 'ТЕКСТ', folds)).toBe(true);
  expect(conditionHolds(asked(['Т']), 'ТЕКСТ', folds)).toBe(true);
  expect(folded).toEqual(['ТЕКСТ', 'К', 'Т']);
});
