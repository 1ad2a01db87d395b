import { renewCalendarsJob, renewServiceJob } from '../../src/commerce/bookings/jobs.ts';
import { bookingsToCome, type Place } from '../../src/commerce/bookings/to-come.ts';
import { wishCalendar } from '../../src/commerce/calendar/wish.ts';
import { orderLock } from '../../src/commerce/orders/order-row.ts';
import { nobody } from '../../src/platform/ledger/pools.ts';
import { now } from '../../src/platform/time/clock.ts';
import { handle, type Outcome, type RunContext } from '../handler.ts';

type Page = (Place & { order_id: string })[];

/** One write each: none holds the order of another up. A wish that is repeated finds its entry as it is wished. */
async function renew(
  { transact, facts, finish }: RunContext<unknown>,
  pageAfter: (place: Place) => Promise<Page>,
): Promise<Outcome> {
  let after: Place | undefined = { starts_at: new Date(now()).toISOString(), id: nobody };
  let count = 0;
  while (after) {
    const page: Page = await pageAfter({ starts_at: after.starts_at, id: after.id });
    for (const { id: bookingId, order_id: orderId } of page) {
      await transact({ locks: [orderLock(orderId)] }, (tx) => wishCalendar(tx.own, { orderId, bookingId }));
      count += 1;
    }
    after = page.at(-1);
  }
  facts.bookings = count;
  return finish();
}

export const renewCalendars = handle(renewCalendarsJob, ({ staff_id }, context) =>
  renew(context, (after) => bookingsToCome.ofStaff(context.own, { ...after, staff_id })),
);

export const renewService = handle(renewServiceJob, ({ service_id }, context) =>
  renew(context, (after) => bookingsToCome.ofService(context.own, { ...after, service_id })),
);
