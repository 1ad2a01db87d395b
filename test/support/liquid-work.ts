import { jest } from '@jest/globals';
import { Context } from 'liquidjs';
import { clockReads } from './clock-reads.ts';

/**
 * What the Liquid of `work` takes, on a clock that stands still: `steps`, the tags, outputs, filters and comparisons; `characters`, the most that one
 * rendering was charged for, without the step at which it was cut off.
 */
export function liquidWork(work: () => void): { steps: number; characters: number } {
  const charged = new Map<unknown, number>();
  const limiter = Object.getPrototypeOf(new Context().memoryLimit) as Context['memoryLimit'];
  const use = limiter.use;
  const counting = jest.spyOn(limiter, 'use').mockImplementation(function (this: Context['memoryLimit'], count: number) {
    use.call(this, count);
    charged.set(this, (charged.get(this) ?? 0) + Number(count));
  });
  try {
    const steps = clockReads(work);
    return { steps, characters: Math.max(0, ...charged.values()) };
  } finally {
    counting.mockRestore();
  }
}
