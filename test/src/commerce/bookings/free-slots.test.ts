import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { maxSlots, type Search, type Slot, slotsOf } from '../../../../src/commerce/bookings/free-slots.ts';
import { daysIn, freeStarts, type Span, shownIn, workingStarts } from '../../../../src/commerce/bookings/slots.ts';
import { fc } from '../../../support/fast-check.ts';

const minute = 60_000;
const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Africa/Cairo', 'Australia/Lord_Howe', 'Asia/Jakarta'];
const whole = (search: Search) => daysIn(search.zone, search.from, search.to);
const everyDay = (start: string, end: string) => [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, start, end }));
const person = (id: string, timezone: string, [start, end]: [string, string]) => ({
  id,
  timezone,
  weekly_hours: everyDay(start, end),
  overrides: [],
});

/** Of all days at once, each person after the other. */
function reference({ service, people, taken, zone }: Search, within: Span): Slot[] {
  const byStart = new Map<number, string[]>();
  for (const one of people)
    for (const at of freeStarts(workingStarts(one, service, within), service, taken.get(one.id) ?? []))
      byStart.set(at, [...(byStart.get(at) ?? []), one.id]);
  const sorted = [...byStart].sort(([one], [other]) => one - other);
  return sorted.map(([at, staff_ids]) => ({
    starts_at: new Date(at).toISOString(),
    ends_at: new Date(at + service.duration_minutes * minute).toISOString(),
    local_start: shownIn(zone, at),
    staff_ids,
  }));
}

const firstDays = ['2027-03-26', '2027-03-12', '2027-04-03', '2027-04-29', '2027-10-29', '2027-10-02', '2027-06-10'];
const hours = fc.constantFrom<[string, string]>(['00:00', '24:00'], ['00:30', '03:15'], ['09:00', '17:00'], ['22:30', '24:00']);
const search = fc
  .record({
    zone: fc.constantFrom(...zones),
    first: fc.constantFrom(...firstDays),
    days: fc.integer({ min: 1, max: 5 }),
    people: fc.array(fc.tuple(fc.constantFrom(...zones), hours), { minLength: 1, maxLength: 4 }),
    busy: fc.array(fc.tuple(fc.nat(3), fc.nat(5 * 1_440), fc.integer({ min: 1, max: 600 })), { maxLength: 10 }),
    service: fc.record({
      duration_minutes: fc.constantFrom(15, 60, 200),
      buffer_before: fc.constantFrom(0, 20),
      buffer_after: fc.constantFrom(0, 45),
      step_minutes: fc.constantFrom(15, 30, 50),
    }),
  })
  .map(({ zone, first, days, people, busy, service }): Search => {
    const to = new Date(Date.parse(first) + (days - 1) * 1_440 * minute).toISOString().slice(0, 10);
    const taken = new Map<string, Span[]>();
    for (const [who, from, length] of busy) {
      const start = Date.parse(first) + from * minute;
      taken.set(`p${who}`, [...(taken.get(`p${who}`) ?? []), { start, end: start + length * minute }]);
    }
    return { service, people: people.map(([at, range], index) => person(`p${index}`, at, range)), taken, zone, from: first, to };
  });

test('day by day the slots are those of all days at once, also where the clock changes', async () => {
  await fc.assert(
    fc.asyncProperty(search, fc.nat(1_440), fc.nat(1_440), async (one, later, sooner) => {
      const { start, end } = whole(one);
      const within = { start: start + later * minute + 1, end: end - sooner * minute };
      const found = await slotsOf(one, within);
      expect(found.nextFrom).toBeNull();
      expect(found.slots).toEqual(reference(one, within));
    }),
    { numRuns: 60 },
  );
});

const service = { duration_minutes: 5, buffer_before: 0, buffer_after: 0, step_minutes: 5 };
const month = (people: number): Search => ({
  service,
  people: Array.from({ length: people }, (_, index) => person(`p${index}`, 'Europe/Berlin', ['00:00', '24:00'])),
  taken: new Map(),
  zone: 'Europe/Berlin',
  from: '2027-03-01',
  to: '2027-03-31',
});

test('a reply has whole days up to the maximum, and says where to go on: read so, they are all', async () => {
  const asked = month(1);
  const read: Slot[] = [];
  for (let from: string | null = asked.from; from; ) {
    const { slots, nextFrom } = await slotsOf({ ...asked, from }, whole({ ...asked, from }));
    expect(slots.length).toBeLessThanOrEqual(maxSlots);
    expect(slots.length).toBeGreaterThan(0);
    read.push(...slots);
    from = nextFrom;
  }
  expect(read).toEqual(reference(asked, whole(asked)));
});

test('with a hundred people it is a day at a time, and others have their turns meanwhile', async () => {
  const asked = month(100);
  let turns = 0;
  let isOver = false;
  const watch = async () => {
    for (; !isOver; turns += 1) await nextTurn();
  };
  const watching = watch();
  const { slots, nextFrom } = await slotsOf(asked, whole(asked));
  isOver = true;
  await watching;
  expect(slots).toHaveLength(288);
  expect(slots[0]!.staff_ids).toHaveLength(100);
  expect(nextFrom).toBe('2027-03-02');
  expect(turns).toBeGreaterThan(5);
});
