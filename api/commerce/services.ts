import Joi from 'joi';
import {
  changeService,
  createService,
  deleteService,
  getService,
  listServices,
  maxServices,
  type NewService,
} from '../../src/commerce/bookings/services.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { aboutService, exampleService, serviceFields, serviceView, tag, toServiceView } from './service-schemas.ts';

const path = '/v1/commerce/services';
const onePath = `${path}/:serviceID` as const;

export const listOfServices = endpoint({
  method: 'get',
  path,
  operationId: 'commerce.services.list',
  tag,
  scope: 'commerce:read',
  summary: 'List the services that can be booked, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(serviceView) },
  handler: ({ query, own }) => listed('commerce.services', {}, query, (page) => listServices(own, page), toServiceView),
});

export const createOneService = endpoint({
  method: 'post',
  path,
  operationId: 'commerce.services.create',
  tag,
  scope: 'commerce:write',
  summary: 'Create a service that can be booked',
  description: `An organization has at most ${maxServices}.`,
  isIdempotent: true,
  body: Joi.object<NewService>({
    ...serviceFields,
    name: serviceFields.name.required(),
    duration_minutes: serviceFields.duration_minutes.required(),
    buffer_before: serviceFields.buffer_before.default(0),
    buffer_after: serviceFields.buffer_after.default(0),
    step_minutes: serviceFields.step_minutes.default(30),
    lead_minutes: serviceFields.lead_minutes.default(0),
    horizon_days: serviceFields.horizon_days.default(60),
    cancel_until_minutes: serviceFields.cancel_until_minutes.default(0),
    staff_ids: serviceFields.staff_ids.default([]),
    conference: serviceFields.conference.default('none'),
    location: serviceFields.location.default(''),
    active: serviceFields.active.default(true),
  }),
  responses: { 201: serviceView },
  example: { body: exampleService },
  handler: ({ body, write }) =>
    write({}, async ({ own }) => ({ status: 201, body: toServiceView(await createService(own, body)) })),
});

export const getOneService = endpoint({
  ...aboutService,
  method: 'get',
  path: onePath,
  operationId: 'commerce.services.get',
  scope: 'commerce:read',
  summary: 'Get one service',
  responses: { 200: serviceView },
  handler: async ({ params, own }) => ok(toServiceView(await getService(own, params.serviceID))),
});

export const patchOneService = endpoint({
  ...aboutService,
  method: 'patch',
  path: onePath,
  operationId: 'commerce.services.update',
  scope: 'commerce:write',
  summary: 'Change a service',
  description:
    'What is not given stays. Bookings that stand keep their times and who does them; of those still to come, the calendars show the new name, location and conference.',
  body: Joi.object<Partial<NewService>>(serviceFields).min(1),
  responses: { 200: serviceView },
  example: { body: { duration_minutes: 60 } },
  handler: ({ params, body, write }) =>
    write({}, async ({ own }) => ok(toServiceView(await changeService(own, params.serviceID, body)))),
});

export const deleteOneService = endpoint({
  ...aboutService,
  method: 'delete',
  path: onePath,
  operationId: 'commerce.services.delete',
  scope: 'commerce:write',
  summary: 'Delete a service that was never booked',
  description: 'One that was booked, or that a variant sells, is a 409: set `active` to false instead.',
  responses: { 204: null },
  errors: [409],
  handler: ({ params, write }) =>
    write({}, async ({ own }) => {
      await deleteService(own, params.serviceID);
      return { status: 204 };
    }),
});
