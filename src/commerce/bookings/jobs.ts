import Joi from 'joi';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';

/** About a staff member or a service; nothing of it is shown to anybody. */
const quietJob = <Subject extends 'staff' | 'service'>(name: string, subjectType: Subject, attempts: number) => {
  type Payload = { [Key in `${Subject}_id`]: string };
  const subject = `${subjectType}_id` as keyof Payload & string;
  return job<Payload>({
    name,
    queue: 'default',
    payload: Joi.object({ [subject]: uuid }),
    subjectType,
    subject,
    delayMs: backoff(attempts),
    operation: false,
    failed: async () => {},
    revived: async () => {},
  });
};

/** What the calendar of a staff member shows as busy is copied, so that nobody books it. The next one by time repairs what this one leaves. */
export const copyBusyJob = quietJob('bookings.copy-busy', 'staff', 4);

/** The bookings to come move to the calendar that a staff member has now. */
export const renewCalendarsJob = quietJob('bookings.renew-calendars', 'staff', 8);

/** The bookings to come of a service show its name, place and conference of now. */
export const renewServiceJob = quietJob('bookings.renew-service', 'service', 8);
