import { expect, test } from '@jest/globals';
import { readDefinition } from '../../../../src/automation/definition/check.ts';
import { readWith } from '../../../../src/automation/definition/read.ts';
import { bestOf3 } from '../../../support/clock-reads.ts';
import { kit, largeDefinitions, manyConditions } from './kit.ts';

test.each(largeDefinitions)('%s are read within 400 ms', (_title, given) => {
  expect(bestOf3(() => readWith(kit, given))).toBeLessThan(400);
});

test('a rule of thousands of conditions is read within 100 ms', () => {
  const given = manyConditions();
  expect(bestOf3(() => readDefinition(given))).toBeLessThan(100);
});
