import { describe, expect, test } from '@jest/globals';
import { bestOf3 } from '../../support/clock-reads.ts';
import { hostileValues, outcomeOf } from './hostile-values.ts';

/** 5 to 43 ms were seen: what texts read is copied for each step, and a text that is cut off is tried twice, in 50 ms together. */
describe('a value is rendered or cut off within 100 ms:', () => {
  test.each(hostileValues)('%s', (_title, value) => {
    expect(bestOf3(() => outcomeOf(value))).toBeLessThan(100);
  });
});
