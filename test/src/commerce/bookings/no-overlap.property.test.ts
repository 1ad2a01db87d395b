import { expect, test } from '@jest/globals';
import { useApp } from '../../../support/app.ts';
import { at, book, bookable, orderFor } from '../../../support/bookings.ts';
import { fc, numRuns } from '../../../support/fast-check.ts';

const app = useApp();

const halfHour = (step: number) => {
  const minutes = 9 * 60 + step * 30;
  return at(4, `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${minutes % 60 === 0 ? '00' : '30'}`);
};
type Act = { order: number; kind: string; starts_at: string; person: number | undefined; isLong: boolean };
const act: fc.Arbitrary<Act> = fc.record({
  order: fc.nat(7),
  kind: fc.constantFrom('book', 'book', 'move', 'move', 'cancel', 'confirm'),
  starts_at: fc.integer({ min: 0, max: 15 }).map(halfHour),
  person: fc.constantFrom(0, 1, undefined),
  isLong: fc.boolean(),
});

const one = (kind: string, order: number, step: number, isLong = false): Act => ({
  ...{ kind, order, isLong },
  ...{ starts_at: halfHour(step), person: 0 },
});
/** Two orders want one slot; one moves, in the way of a third; a cancelled one makes way. */
const wayThrough = [
  [one('book', 0, 0), one('book', 1, 0)],
  [one('book', 2, 6), one('confirm', 2, 6)],
  [one('move', 2, 8, true), one('book', 3, 8)],
  [one('cancel', 0, 0), one('cancel', 1, 0)],
  [one('book', 4, 0)],
];

const overlaps = `
  select count(*)::int as n
    from bookings a
    join bookings b
      on b.organization_id = a.organization_id and b.staff_id = a.staff_id and b.id > a.id and b.during && a.during
   where a.organization_id = $1
     and a.status in ('held', 'confirmed', 'checked_in')
     and b.status in ('held', 'confirmed', 'checked_in')`;

test('no two live bookings of one person overlap, whatever is asked for at once and in whatever order', async () => {
  let [made, refused] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(act, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 8 }), async (rounds) => {
      const own = await app.organization();
      const short = await bookable(app, own, { people: 2 });
      const long = await app.call('commerce.services.create', {
        key: own.key,
        body: { name: 'Long', duration_minutes: 90, buffer_before: 15, buffer_after: 15, staff_ids: short.staffIds },
      });
      const orders = await Promise.all(Array.from({ length: 8 }, () => orderFor(app, own)));
      for (const round of rounds) {
        const replies = await Promise.all(
          round.map(({ order, kind, starts_at, person, isLong }) => {
            const params = { orderID: orders[order]! };
            const staff_id = person === undefined ? undefined : short.staffIds[person];
            const service_id = isLong ? long.body.id : short.serviceId;
            if (kind === 'book') return book(app, own, params.orderID, { service_id, staff_id, starts_at });
            if (kind === 'cancel') return app.call('commerce.orders.booking.cancel', { key: own.key, params });
            if (kind === 'move')
              return app.call('commerce.orders.booking.update', {
                key: own.key,
                params,
                body: { service_id, starts_at, ...(staff_id ? { staff_id } : {}) },
              });
            return app
              .rows(`update orders set status = 'confirmed' where id = $1`, [params.orderID])
              .then(() => ({ status: 200 }));
          }),
        );
        expect(replies.map(({ status }) => status).filter((status) => ![200, 201, 409, 422].includes(status))).toEqual([]);
        expect(await app.one(overlaps, [own.organizationId])).toEqual({ n: 0 });
        made += replies.filter(({ status }) => status === 201).length;
        refused += replies.filter(({ status }) => status === 409).length;
      }
    }),
    { numRuns: numRuns({ default: 2, deep: 12 }), examples: [[wayThrough]] },
  );
  // The first example reaches both, at least.
  expect(made).toBeGreaterThan(0);
  expect(refused).toBeGreaterThan(0);
}, 120_000);
