import Joi from 'joi';
import {
  changeStaff,
  createStaff,
  deleteStaff,
  getStaff,
  listStaff,
  maxStaff,
  type NewStaff,
} from '../../src/commerce/bookings/staff.ts';
import { runsThrough } from '../../src/platform/database/statement.ts';
import { pageBytesNote } from '../../src/platform/listing/page-bytes.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { tag } from './service-schemas.ts';
import { aboutStaff, exampleStaff, staffFields, staffView, toStaffView } from './staff-schemas.ts';

const path = '/v1/commerce/staff';
const onePath = `${path}/:staffID` as const;

export const listOfStaff = endpoint({
  method: 'get',
  path,
  operationId: 'commerce.staff.list',
  tag,
  scope: 'commerce:read',
  summary: 'List who can be booked, newest first',
  description: pageBytesNote('hours'),
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(staffView) },
  handler: ({ query, own }, { reads }) =>
    reads.dear(own.organizationId, (ask) =>
      listed('commerce.staff', {}, query, (page) => listStaff(runsThrough(ask, own.organizationId), page), toStaffView),
    ),
});

export const createOneStaff = endpoint({
  method: 'post',
  path,
  operationId: 'commerce.staff.create',
  tag,
  scope: 'commerce:write',
  summary: 'Create a staff member who can be booked',
  description: `An organization has at most ${maxStaff}. Name them in \`staff_ids\` of the services they do.`,
  isIdempotent: true,
  body: Joi.object<NewStaff>({
    ...staffFields,
    name: staffFields.name.required(),
    email: staffFields.email.default(''),
    timezone: staffFields.timezone.required(),
    calendar_connection_id: staffFields.calendar_connection_id.default(null),
    calendar_id: staffFields.calendar_id.default(null),
    video_connection_id: staffFields.video_connection_id.default(null),
    weekly_hours: staffFields.weekly_hours.default([]),
    overrides: staffFields.overrides.default([]),
    reads_busy: staffFields.reads_busy.default(false),
    active: staffFields.active.default(true),
  }),
  responses: { 201: staffView },
  errors: [409],
  example: { body: exampleStaff },
  handler: ({ body, write }) => write({}, async ({ own }) => ({ status: 201, body: toStaffView(await createStaff(own, body)) })),
});

export const getOneStaff = endpoint({
  ...aboutStaff,
  method: 'get',
  path: onePath,
  operationId: 'commerce.staff.get',
  scope: 'commerce:read',
  summary: 'Get one staff member',
  responses: { 200: staffView },
  handler: async ({ params, own }) => ok(toStaffView(await getStaff(own, params.staffID))),
});

export const patchOneStaff = endpoint({
  ...aboutStaff,
  method: 'patch',
  path: onePath,
  operationId: 'commerce.staff.update',
  scope: 'commerce:write',
  summary: 'Change a staff member',
  description:
    'What is not given stays; `weekly_hours` and `overrides` are replaced as a whole. Bookings that stand keep their times; those to come move to another calendar with their staff member.',
  body: Joi.object<Partial<NewStaff>>(staffFields).min(1),
  responses: { 200: staffView },
  errors: [409],
  example: { body: { overrides: [{ date: '2026-12-31', ranges: [{ start: '09:00', end: '12:00' }] }] } },
  handler: ({ params, body, write }) =>
    write({}, async ({ own }) => ok(toStaffView(await changeStaff(own, params.staffID, body)))),
});

export const deleteOneStaff = endpoint({
  ...aboutStaff,
  method: 'delete',
  path: onePath,
  operationId: 'commerce.staff.delete',
  scope: 'commerce:write',
  summary: 'Delete a staff member who was never booked',
  description: 'Who was booked is a 409: set `active` to false instead.',
  responses: { 204: null },
  errors: [409],
  handler: ({ params, write }) =>
    write({}, async ({ own }) => {
      await deleteStaff(own, params.staffID);
      return { status: 204 };
    }),
});
