import { describe, expect, jest, test } from '@jest/globals';
import { Temporal } from 'temporal-polyfill';
import type { Hours } from '../../../../src/commerce/bookings/hours.ts';
import {
  daysIn,
  freeStarts,
  isWithinHours,
  rememberedClocks,
  type ServiceTimes,
  type Span,
  shownIn,
  workingStarts,
} from '../../../../src/commerce/bookings/slots.ts';
import { slotsByMinutes } from '../../../support/slots-by-minutes.ts';

const service: ServiceTimes = { duration_minutes: 60, buffer_before: 0, buffer_after: 0, step_minutes: 30 };
const hours = (timezone: string, ranges: [string, string][]): Hours => ({
  timezone,
  weekly_hours: [1, 2, 3, 4, 5, 6, 7].flatMap((weekday) => ranges.map(([start, end]) => ({ weekday, start, end }))),
  overrides: [],
});
const minute = 60_000;

/** Both changes of 2027 in five zones, two of them of the south, one by half an hour, one at midnight; and a zone without any. */
const changes: [string, string][] = [
  ['Europe/Berlin', '2027-03-28'],
  ['Europe/Berlin', '2027-10-31'],
  ['America/New_York', '2027-03-14'],
  ['America/New_York', '2027-11-07'],
  ['Australia/Lord_Howe', '2027-04-04'],
  ['Australia/Lord_Howe', '2027-10-03'],
  ['America/Santiago', '2027-04-04'],
  ['America/Santiago', '2027-09-05'],
  ['Africa/Cairo', '2027-04-30'],
  ['Africa/Cairo', '2027-10-29'],
  ['Asia/Jakarta', '2027-03-28'],
];

const works: [string, [string, string][]][] = [
  ['the whole day', [['00:00', '24:00']]],
  ['the night', [['00:30', '05:15']]],
  [
    'parts that begin and end within the change',
    [
      ['01:15', '02:30'],
      ['02:45', '04:00'],
      ['22:30', '24:00'],
    ],
  ],
  [
    'office hours',
    [
      ['09:00', '12:00'],
      ['13:00', '18:00'],
    ],
  ],
];

describe.each(changes)('%s around %s', (timezone, date) => {
  const noon = Date.parse(`${date}T12:00:00Z`);
  const window = { start: noon - 36 * 60 * minute, end: noon + 36 * 60 * minute };

  test.each(works)('the starts of %s are those of a clock that is read minute by minute', (_name, ranges) => {
    for (const times of [
      service,
      { ...service, duration_minutes: 25, step_minutes: 20 },
      { ...service, duration_minutes: 150 },
    ]) {
      const found = workingStarts(hours(timezone, ranges), times, window);
      expect(found).toEqual(slotsByMinutes(hours(timezone, ranges), times, window));
    }
    expect(workingStarts(hours(timezone, ranges), service, window).length).toBeGreaterThan(6);
  });

  test('a start at 13:00 stays at 13:00', () => {
    const starts = workingStarts(hours(timezone, [['09:00', '18:00']]), service, window).map((ms) => shownIn(timezone, ms));
    expect(starts.filter((text) => text.slice(11, 16) === '13:00').length).toBeGreaterThanOrEqual(3);
    expect(starts.every((text) => ['00', '30'].includes(text.slice(14, 16)))).toBe(true);
  });

  test('a service within the hours is on one of their steps or refused as off a step', () => {
    const ofDay = hours(timezone, [['00:00', '24:00']]);
    for (const start of workingStarts(ofDay, service, window)) expect(isWithinHours(ofDay, service, start)).toBe(true);
  });
});

test.each(changes)(
  'a hundred people who work all day in %s on %s read the clock of the zone as often as one',
  (timezone, date) => {
    const all = hours(timezone, [['00:00', '24:00']]);
    const times = { ...service, duration_minutes: 5, step_minutes: 5 };
    const day = daysIn(timezone, date, date);
    const readings = (people: number) => {
      const reading = jest.spyOn(Temporal.PlainDateTime.prototype, 'toZonedDateTime');
      const clocks = rememberedClocks();
      for (let person = 0; person < people; person++) workingStarts(all, times, day, clocks);
      const count = reading.mock.calls.length;
      reading.mockRestore();
      return count;
    };
    const ofOne = readings(1);
    expect(ofOne).toBeGreaterThan(0);
    expect(ofOne).toBeLessThan(20);
    expect(readings(100)).toBe(ofOne);
  },
);

const shown = (timezone: string, ranges: [string, string][], date: string) =>
  workingStarts(hours(timezone, ranges), service, daysIn(timezone, date, date)).map((ms) => shownIn(timezone, ms).slice(11));

test('a wall time that does not exist is left out', () => {
  expect(shown('Europe/Berlin', [['01:00', '05:00']], '2027-03-28')).toEqual([
    '01:00:00+01:00',
    '01:30:00+01:00',
    '03:00:00+02:00',
    '03:30:00+02:00',
    '04:00:00+02:00',
  ]);
});

test('of a wall time that comes twice the first is taken', () => {
  expect(shown('Europe/Berlin', [['01:30', '04:00']], '2027-10-31')).toEqual([
    '01:30:00+02:00',
    '02:00:00+02:00',
    '02:30:00+02:00',
    '03:00:00+01:00',
  ]);
});

test('a day that a zone left out has no starts, and the days beside it have theirs', () => {
  const apia = hours('Pacific/Apia', [['09:00', '11:00']]);
  const window = { start: Date.parse('2011-12-29T00:00:00Z'), end: Date.parse('2012-01-01T00:00:00Z') };
  expect(workingStarts(apia, service, window)).toEqual(slotsByMinutes(apia, service, window));
  expect(workingStarts(apia, service, window).some((ms) => shownIn('Pacific/Apia', ms).startsWith('2011-12-30'))).toBe(false);
});

test('an exception takes the place of the hours of its day', () => {
  const { weekly_hours } = hours('UTC', [['09:00', '12:00']]);
  const overrides = [
    { date: '2027-01-04', ranges: [{ start: '20:00', end: '21:00' }] },
    { date: '2027-01-05', ranges: [] },
  ];
  const starts = workingStarts({ timezone: 'UTC', weekly_hours, overrides }, service, daysIn('UTC', '2027-01-04', '2027-01-06'));
  expect(starts.map((ms) => new Date(ms).toISOString().slice(0, 16))).toEqual([
    '2027-01-04T20:00',
    '2027-01-06T09:00',
    '2027-01-06T09:30',
    '2027-01-06T10:00',
    '2027-01-06T10:30',
    '2027-01-06T11:00',
  ]);
});

test('a booking beside another keeps the buffers of both sides free', () => {
  const at = (time: string) => Date.parse(`2027-01-04T${time}:00Z`);
  const taken: Span[] = [{ start: at('12:00'), end: at('13:00') }];
  const buffered = { ...service, buffer_before: 15, buffer_after: 30 };
  const starts = ['10:00', '10:30', '11:00', '11:30', '13:00', '13:15', '13:30'].map(at);
  const free = freeStarts(starts, buffered, taken).map((ms) => new Date(ms).toISOString().slice(11, 16));
  expect(free).toEqual(['10:00', '10:30', '13:15', '13:30']);
});

test('taken times that overlap, or stand out of order, are as one', () => {
  const spans = [
    [300, 420],
    [0, 120],
    [60, 90],
    [400, 401],
  ].map(([start, end]) => ({ start: start! * minute, end: end! * minute }));
  const starts = [0, 60, 120, 180, 240, 300, 360, 420].map((one) => one * minute);
  expect(freeStarts(starts, service, spans).map((ms) => ms / minute)).toEqual([120, 180, 240, 420]);
});

test('29 February is a day of leap years only', () => {
  expect(daysIn('UTC', '2028-02-29', '2028-02-29').end).toBe(Date.parse('2028-03-01T00:00:00Z'));
  expect(() => daysIn('UTC', '2027-02-29', '2027-03-01')).toThrow(RangeError);
});
