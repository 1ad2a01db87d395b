import Joi from 'joi';
import type { StaffRow } from '../../src/commerce/bookings/staff.ts';
import { exampleIdOf, exampleTime } from '../../src/platform/examples.ts';
import { wallTime, wallTimeOfEnd } from '../../src/platform/time/wall-time.ts';
import { day, id, iso, timestamp, timeZone } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { tag } from './service-schemas.ts';

export const aboutStaff = { tag, subject: 'Staff member' };

const start = Joi.string().max(5).pattern(wallTime, 'HH:MM').required().description('HH:MM, by the clock of the staff member');
const end = Joi.string().max(5).pattern(wallTimeOfEnd, 'HH:MM').required().description('HH:MM; `24:00` is the end of the day');

export const staffFields = {
  name: Joi.string().trim().min(1).max(200),
  email: Joi.string().email({ tlds: false }).allow('').max(254),
  timezone: timeZone.description('The zone of the hours, from the IANA database, as `Europe/Berlin`'),
  calendar_connection_id: id.allow(null).description('The calendar account that shows the bookings'),
  calendar_id: Joi.string().min(1).max(500).allow(null).description('The calendar of that account. Default: its own, `primary`'),
  video_connection_id: id.allow(null).description('The video account whose rooms the bookings get'),
  weekly_hours: Joi.array()
    .items(
      Joi.object({
        weekday: Joi.number().strict().integer().min(1).max(7).required().description('1 is Monday, 7 is Sunday'),
        start,
        end,
      }),
    )
    .max(140)
    .description('When they work. The ranges of a day are sorted and do not overlap; a service lies within one range'),
  overrides: Joi.array()
    .items(
      Joi.object({
        date: day.required(),
        ranges: Joi.array()
          .items(Joi.object({ start, end }))
          .max(20)
          .required()
          // Of 8,000 empty ranges each has two faults, which took 70 ms to tell.
          .prefs({ abortEarly: true })
          .description('Empty: a day off'),
      }),
    )
    .max(400)
    .description('Days with other hours than the week says'),
  reads_busy: Joi.boolean().strict().description('What the calendar shows as busy cannot be booked; it is read every 15 minutes'),
  active: Joi.boolean().strict().description('Only active staff members can be booked'),
};

export const exampleStaff = {
  name: 'Grace Hopper',
  email: 'grace@example.com',
  timezone: 'Europe/Berlin',
  weekly_hours: [
    { weekday: 1, start: '09:00', end: '12:00' },
    { weekday: 1, start: '13:00', end: '18:00' },
  ],
  overrides: [{ date: '2026-12-24', ranges: [] }],
};

export const staffView = view(
  'staff_member',
  Joi.object({
    id: id.required(),
    ...Object.fromEntries(Object.entries(staffFields).map(([name, schema]) => [name, schema.required()])),
    busy_copied_at: timestamp.allow(null).required().description('When the busy times of the calendar were read last'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('staff'),
    ...exampleStaff,
    calendar_connection_id: exampleIdOf('connection'),
    calendar_id: 'primary',
    video_connection_id: null,
    reads_busy: false,
    active: true,
    busy_copied_at: null,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

export const toStaffView = (row: StaffRow) => ({
  ...row,
  busy_copied_at: row.busy_copied_at && iso(row.busy_copied_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
