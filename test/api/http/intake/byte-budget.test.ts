import { expect, test } from '@jest/globals';
import { createByteBudget } from '../../../../api/http/intake/byte-budget.ts';

const refusal = expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 1 });

test('a key has its share, and all together the total', () => {
  const budget = createByteBudget({ total: 100, perKey: 60 });
  const [one, two] = [budget.hold('one'), budget.hold('two')];
  one.add(60);
  expect(() => one.add(1)).toThrow(refusal);
  expect(() => budget.hold('one').add(1)).toThrow(refusal);
  two.add(40);
  expect(() => two.add(1)).toThrow(refusal);
  expect(() => budget.hold('three').add(1)).toThrow(refusal);
  expect(budget.held()).toBe(100);
});

test('what was refused is not held, and what is given back is free', () => {
  const budget = createByteBudget({ total: 100, perKey: 60 });
  const [one, other] = [budget.hold('one'), budget.hold('one')];
  one.add(50);
  expect(() => other.add(20)).toThrow(refusal);
  other.add(10);
  one.release();
  one.release();
  expect(budget.held()).toBe(10);
  other.add(50);
  other.release();
  expect(budget.held()).toBe(0);
});

test('a request that is over holds nothing more, whatever still comes of it', () => {
  const budget = createByteBudget({ total: 100, perKey: 60 });
  const late = budget.hold('one');
  late.release();
  late.add(60);
  expect(budget.held()).toBe(0);
});
