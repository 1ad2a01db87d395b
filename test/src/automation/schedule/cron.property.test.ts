import { describe, expect, test } from '@jest/globals';
import { lastOfCron, nextOfCron } from '../../../../src/automation/schedule/cron.ts';
import { fc, numRuns } from '../../../support/fast-check.ts';
import { nights } from '../../../support/nights.ts';
import { wallMinutes } from '../../../support/wall-minutes.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

/** A field as written, and the numbers that it means. */
type Field = { text: string; values: number[] };
const every = (from: number, to: number): Field => ({
  text: '*',
  values: Array.from({ length: to - from + 1 }, (_, at) => from + at),
});
const field = (from: number, to: number): fc.Arbitrary<Field> => {
  const one = fc.integer({ min: from, max: to });
  const all = every(from, to);
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant(all) },
    { weight: 2, arbitrary: one.map((value) => ({ text: String(value), values: [value] })) },
    {
      weight: 2,
      arbitrary: fc.tuple(one, one).map(([a, b]) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        return { text: `${low}-${high}`, values: all.values.filter((value) => value >= low && value <= high) };
      }),
    },
    {
      weight: 1,
      arbitrary: fc.uniqueArray(one, { minLength: 2, maxLength: 4 }).map((values) => ({ text: values.join(','), values })),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom(...[2, 3, 5, 7, 10, 15, 20, 30].filter((step) => step <= to - from)).map((step) => ({
        text: `*/${step}`,
        values: all.values.filter((value) => (value - from) % step === 0),
      })),
    },
  );
};
/** Most hours are those in which clocks are changed. */
const hours = fc.oneof(
  { weight: 1, arbitrary: field(0, 23) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 4 }).map((hour): Field => ({ text: String(hour), values: [hour] })) },
);
const pattern = fc.record({
  minutes: field(0, 59),
  hours,
  days: field(1, 31),
  months: fc.constant(every(1, 12)),
  weekdays: field(0, 6),
});
type Pattern = typeof pattern extends fc.Arbitrary<infer Value> ? Value : never;

const textOf = ({ minutes, hours, days, months, weekdays }: Pattern) =>
  [minutes, hours, days, months, weekdays].map(({ text }) => text).join(' ');

/** As cron has it: where both days are given, one of them is enough. */
function isDay({ days, weekdays }: Pattern, date: Date): boolean {
  const [ofMonth, ofWeek] = [days.values.includes(date.getUTCDate()), weekdays.values.includes(date.getUTCDay())];
  const isGiven = ({ text }: Field) => text !== '*';
  return isGiven(days) && isGiven(weekdays) ? ofMonth || ofWeek : ofMonth && ofWeek;
}

const matches = (given: Pattern, wall: number) => {
  const date = new Date(wall);
  const { minutes, hours } = given;
  return minutes.values.includes(date.getUTCMinutes()) && hours.values.includes(date.getUTCHours()) && isDay(given, date);
};

describe.each(nights)('%s around %s', (zone, _at, change) => {
  const shown = wallMinutes(zone, change);
  const [from, until] = [change - 2 * day, change + 7 * day];

  /** Every time of the calendar that the pattern means, at the first minute that shows it or a later one. */
  function bySlowWalk(given: Pattern): number[] {
    const moments = new Set<number>();
    let at = 0;
    const firstWall = Date.parse(`${shown[0]!.text.replace(' ', 'T')}Z`);
    const lastWall = Date.parse(`${shown.at(-1)!.text.replace(' ', 'T')}Z`);
    for (let wall = firstWall; wall <= lastWall; wall += minute) {
      if (!matches(given, wall)) continue;
      const text = new Date(wall).toISOString().slice(0, 16).replace('T', ' ');
      while (shown[at]!.text < text) at += 1;
      moments.add(shown[at]!.ms);
    }
    return [...moments].filter((ms) => ms > from && ms <= until);
  }

  test('each time of a pattern falls once, in order: a missing one after the gap, a double one the first time', () => {
    fc.assert(
      fc.property(pattern, (given) => {
        const [text, found] = [textOf(given), [] as number[]];
        for (
          let next = nextOfCron(text, zone, new Date(from));
          next && next.getTime() <= until;
          next = nextOfCron(text, zone, next)
        )
          found.push(next.getTime());
        const wanted = bySlowWalk(given);
        expect(found).toEqual(wanted);
        const last = lastOfCron(text, zone, new Date(from), new Date(until));
        expect(last?.getTime()).toBe(wanted.at(-1));
      }),
      { numRuns: numRuns({ default: 2, deep: 10 }) },
    );
  });
});
