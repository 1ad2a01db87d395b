import { describe, expect, test } from '@jest/globals';
import { assertCron, lastOfCron, nextOfCron } from '../../../../src/automation/schedule/cron.ts';

/** The next moments after a moment, as many as are asked. */
function next(pattern: string, zone: string, after: string, count: number): string[] {
  const found: string[] = [];
  let at: Date | undefined = new Date(after);
  while (found.length < count) {
    at = nextOfCron(pattern, zone, at);
    if (!at) break;
    found.push(`${at.toISOString().slice(0, 16)}Z`);
  }
  return found;
}

describe('the night in which clocks go forward', () => {
  test('a time that is left out falls at the moment after the gap, the next day at its own', () => {
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00Z', 2)).toEqual(['2026-03-29T01:00Z', '2026-03-30T00:30Z']);
  });

  test('so does one whose day is named', () => {
    expect(next('30 2 29 3 *', 'Europe/Berlin', '2026-03-28T12:00Z', 1)).toEqual(['2026-03-29T01:00Z']);
  });

  test('several that are left out, and the one at the moment itself, fall once', () => {
    const quarters = ['2026-03-29T00:45Z', '2026-03-29T01:00Z', '2026-03-29T01:15Z'];
    expect(next('*/15 * * * *', 'Europe/Berlin', '2026-03-29T00:30Z', 3)).toEqual(quarters);
  });

  test('a day that a calendar does not have falls at the begin of the next', () => {
    expect(next('0 9 * * *', 'Pacific/Apia', '2011-12-29T12:00Z', 3)).toEqual([
      '2011-12-29T19:00Z',
      '2011-12-30T10:00Z',
      '2011-12-30T19:00Z',
    ]);
  });
});

describe('the night in which clocks go back', () => {
  test('a time that comes twice falls the first time', () => {
    expect(next('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', 2)).toEqual(['2026-10-25T00:30Z', '2026-10-26T01:30Z']);
  });

  test('of every half hour the second hour has none', () => {
    const halves = ['2026-10-25T00:00Z', '2026-10-25T00:30Z', '2026-10-25T02:00Z'];
    expect(next('*/30 * * * *', 'Europe/Berlin', '2026-10-24T23:30Z', 3)).toEqual(halves);
  });

  test('half an hour is set back on Lord Howe', () => {
    const quarters = ['2026-04-04T14:30Z', '2026-04-04T14:45Z', '2026-04-04T15:30Z'];
    expect(next('*/15 * * * *', 'Australia/Lord_Howe', '2026-04-04T14:15Z', 3)).toEqual(quarters);
  });
});

test('29 February falls in leap years', () => {
  expect(next('0 0 29 2 *', 'UTC', '2026-01-01T00:00Z', 2)).toEqual(['2028-02-29T00:00Z', '2032-02-29T00:00Z']);
});

test('30 February never falls', () => {
  expect(next('0 0 30 2 *', 'UTC', '2026-01-01T00:00Z', 1)).toEqual([]);
});

test('where the day of the month and of the week are both given, one of them is enough', () => {
  expect(next('0 0 13 * 5', 'UTC', '2026-01-01T00:00Z', 3)).toEqual([
    '2026-01-02T00:00Z',
    '2026-01-09T00:00Z',
    '2026-01-13T00:00Z',
  ]);
});

test('a moment of the pattern itself is not after itself', () => {
  expect(next('0 9 * * *', 'UTC', '2026-01-01T09:00Z', 1)).toEqual(['2026-01-02T09:00Z']);
});

test.each(['0 9 * * * *', '61 * * * *', '* * * *', 'noon'])('%s is no pattern', (pattern) => {
  expect(() => assertCron(pattern)).toThrow();
});

describe('the last one that was missed', () => {
  const last = (pattern: string, after: string, until: string) =>
    lastOfCron(pattern, 'UTC', new Date(after), new Date(until))?.toISOString();

  test.each([
    ['none yet', '0 9 * * *', '2026-01-01T09:00Z', '2026-01-02T08:59Z', undefined],
    ['at the moment itself', '0 9 * * *', '2026-01-01T09:00Z', '2026-01-02T09:00Z', '2026-01-02T09:00:00.000Z'],
    ['the last of a year of minutes', '* * * * *', '2025-01-01T00:00Z', '2026-01-02T09:00:30Z', '2026-01-02T09:00:00.000Z'],
    ['of every month', '0 0 31 * *', '2025-01-01T00:00Z', '2026-07-15T00:00Z', '2026-05-31T00:00:00.000Z'],
    ['of leap years', '0 0 29 2 *', '2019-01-01T00:00Z', '2026-07-15T00:00Z', '2024-02-29T00:00:00.000Z'],
  ])('%s', (_what, pattern, after, until, wanted) => {
    expect(last(pattern, after, until)).toBe(wanted);
  });
});
