import Joi from 'joi';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';

/** Loaded with the first end of a job: a process that becomes ready needs the contracts alone. */
const ends = () => import('./settle.ts');

/** SQL: `openSubjects` is a part of the statement of `jobs check`. */
export const syncBookingCalendarJob = job<{ order_id: string }>({
  name: 'commerce.sync-booking-calendar',
  queue: 'default',
  payload: Joi.object({ order_id: uuid }),
  subjectType: 'order',
  subject: 'order_id',
  delayMs: backoff(8),
  operation: true,
  failed: async ({ own }, { order_id }, error) => (await ends()).settleFailed(own, order_id, error.message),
  revived: async ({ own }, { order_id }) => (await ends()).wishAgain(own, order_id),
  openSubjects: `
    select b.organization_id, b.order_id as id
      from booking_calendars c
      join bookings b on b.organization_id = c.organization_id and b.id = c.booking_id
     where c.status = 'pending'`,
});
