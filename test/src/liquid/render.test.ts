import { afterAll, expect, jest, test } from '@jest/globals';
import { maxMs } from '../../../src/liquid/limits.ts';
import { parsedText } from '../../../src/liquid/parsed.ts';
import { together } from '../../../src/liquid/render.ts';
import { stopClock } from '../../support/later.ts';

const parsed = parsedText('Hello {{ name }}');
if ('code' in parsed) throw new Error(parsed.message);
const { templates } = parsed;

const clock = stopClock();
let spentMs = 0;
const usage = jest.spyOn(process, 'threadCpuUsage').mockImplementation(() => ({ user: spentMs * 1_000, system: 0 }));
afterAll(() => {
  clock.goOn();
  usage.mockRestore();
});

/** As a machine that is busy elsewhere: the clock goes on, the processor's time does not. */
const stopped = (ms = 4 * maxMs + 5) => clock.moveOn(ms);
function busy(ms = maxMs + 5) {
  clock.moveOn(ms);
  spentMs += ms;
}

function rendered(during: (attempt: number) => void) {
  let attempts = 0;
  const text = () =>
    together({ name: 'Ada' }, 'UTC', (rendering) => {
      attempts += 1;
      during(attempts);
      return rendering.text(templates, 'title');
    });
  return { text, attempts: () => attempts };
}

test('a text is not refused for the time in which its process was stopped', () => {
  const one = rendered((attempt) => attempt <= 6 && stopped());
  expect(one.text()).toBe('Hello Ada');
  expect(one.attempts()).toBe(7);
});

test('nor is the slowest that may be saved, which takes 5 ms, on a machine that gives it a tenth of its time', () => {
  const one = rendered(() => {
    busy(5);
    stopped(45);
  });
  expect(one.text()).toBe('Hello Ada');
});

test('a text that is slow itself is refused at its second attempt', () => {
  const one = rendered(() => busy(2 * maxMs));
  expect(one.text).toThrow('title takes too long');
  expect(one.attempts()).toBe(2);
});

test('on a machine that never gives it time it ends too', () => {
  const one = rendered(() => stopped());
  expect(one.text).toThrow('title takes too long');
  expect(one.attempts()).toBe(8);
});
