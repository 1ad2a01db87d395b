import Joi from 'joi';
import { serviceConferences } from '../../src/commerce/bookings/service.entity.ts';
import { maxStaffOfService, type ServiceRow } from '../../src/commerce/bookings/services.ts';
import { exampleIdOf, exampleTime } from '../../src/platform/examples.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'Bookings';
export const aboutService = { tag, subject: 'Service' };

const minutes = (min: number, max: number) => Joi.number().strict().integer().min(min).max(max);
const monthOfMinutes = 30 * 24 * 60;

export const serviceFields = {
  name: Joi.string().trim().min(1).max(200),
  duration_minutes: minutes(5, 1_440),
  buffer_before: minutes(0, 720).description('Minutes before the start that nobody else can book'),
  buffer_after: minutes(0, 720).description('Minutes after the end that nobody else can book'),
  step_minutes: minutes(5, 1_440).description('Starts are so many minutes apart, from the beginning of each range of hours'),
  lead_minutes: minutes(0, monthOfMinutes).description('A booking begins at least so many minutes after it is made'),
  horizon_days: Joi.number().strict().integer().min(1).max(730).description('A booking begins within so many days'),
  cancel_until_minutes: minutes(0, monthOfMinutes).description(
    'A customer moves or cancels the booking until so many minutes before it begins',
  ),
  staff_ids: Joi.array()
    .items(id)
    .max(maxStaffOfService)
    .unique()
    .description('Who does it. A booking without `staff_id` goes to the first of them who is free'),
  conference: Joi.string()
    .valid(...serviceConferences)
    .description("`calendar`: the calendar's own video room; `video`: one of the video service"),
  location: Joi.string().trim().allow('').max(500).description('Where it takes place; shown in the calendar'),
  active: Joi.boolean().strict().description('Only an active service can be booked'),
};

export const exampleService = {
  name: 'Haircut',
  duration_minutes: 45,
  buffer_before: 0,
  buffer_after: 15,
  step_minutes: 30,
  lead_minutes: 60,
  horizon_days: 60,
  cancel_until_minutes: 1_440,
  conference: 'none',
  location: '1 Main St',
  active: true,
};

export const serviceView = view(
  'service',
  Joi.object({
    id: id.required(),
    ...Object.fromEntries(Object.entries(serviceFields).map(([name, schema]) => [name, schema.required()])),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('service'),
    ...exampleService,
    staff_ids: [exampleIdOf('staff')],
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

export const toServiceView = (row: ServiceRow) => ({
  ...row,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
