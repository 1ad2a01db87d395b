import Joi from 'joi';
import {
  changeMethod,
  createMethod,
  deleteMethod,
  type MethodPatch,
  maxMethods,
  maxTimeslots,
  methodsLock,
  type NewMethod,
} from '../../src/commerce/delivery/change-method.ts';
import { deliveryMethodKinds } from '../../src/commerce/delivery/method.entity.ts';
import { getMethod, listMethods, type MethodRow } from '../../src/commerce/delivery/methods.ts';
import { timeslotsOf } from '../../src/commerce/delivery/timeslots.ts';
import { currencyCode } from '../../src/money/schemas.ts';
import { exampleIdOf, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { day, id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { amount, flag, name, shownAmount, tag, whole } from './catalogue-schemas.ts';

const about = { tag, subject: 'Delivery method' };
const path = '/v1/commerce/delivery-methods';
const onePath = `${path}/:methodID` as const;

const kind = Joi.string()
  .valid(...deliveryMethodKinds)
  .description('live: the fee is a rate of a quote; none: nothing is delivered');
const weekdays = Joi.array().items(whole(1, 7)).unique().min(1).max(7).description('1 is Monday, 7 is Sunday');
const label = Joi.string().trim().min(1).max(100);
const capacity = whole(1, 1_000_000).allow(null).description('Orders a day; null: any number');

const fields = {
  name,
  kind,
  currency: currencyCode.allow(null).description('Of its amounts'),
  fee_amount: amount,
  free_from_amount: amount.allow(null).description('An order of this subtotal has no fee; null: never'),
  lead_days: whole(0, 365).description('The first day is so many days after today'),
  active: flag,
  connection_id: id.allow(null).description('The shipper of a method of kind live; null: the default one'),
  timeslots: Joi.array()
    .items(
      Joi.object({
        id: id.description('One that is there: what is used of it stays'),
        label: label.required(),
        weekdays: weekdays.required(),
        capacity: capacity.default(null),
      }),
    )
    .unique('id', { ignoreUndefined: true })
    .max(maxTimeslots)
    .description('In their order, all of them: those left out are deleted'),
};

const methodView = view(
  'delivery_method',
  Joi.object({
    id: id.required(),
    name: Joi.string().required(),
    kind: kind.required(),
    currency: Joi.string().allow(null).required(),
    fee_amount: shownAmount,
    free_from_amount: shownAmount.allow(null),
    lead_days: Joi.number().integer().required(),
    active: Joi.boolean().required(),
    connection_id: id.allow(null).required(),
    timeslots: Joi.array()
      .items(
        Joi.object({
          id: id.required(),
          label: Joi.string().required(),
          weekdays: weekdays.required(),
          capacity: capacity.required(),
        }),
      )
      .required(),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('delivery_method'),
    name: 'Our own courier',
    kind: 'flat',
    currency: 'IDR',
    fee_amount: 1_500_000,
    free_from_amount: 50_000_000,
    lead_days: 1,
    active: true,
    connection_id: null,
    timeslots: [{ id: exampleIdOf('timeslot'), label: '09:00 - 12:00', weekdays: [1, 2, 3, 4, 5], capacity: 20 }],
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const toView = (row: MethodRow) => ({
  ...row,
  fee_amount: Number(row.fee_amount),
  free_from_amount: row.free_from_amount === null ? null : Number(row.free_from_amount),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

export const listOfDeliveryMethods = endpoint({
  tag,
  method: 'get',
  path,
  operationId: 'commerce.delivery-methods.list',
  scope: 'commerce:read',
  summary: 'List delivery methods with their time slots, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(methodView) },
  handler: ({ query, own }, { reads }) =>
    listed('commerce.delivery-methods', {}, query, (page) => listMethods(own, reads.plain, page), toView),
});

export const createDeliveryMethod = endpoint({
  tag,
  method: 'post',
  path,
  operationId: 'commerce.delivery-methods.create',
  scope: 'commerce:write',
  summary: 'Create a delivery method',
  description: `An organization has at most ${maxMethods}, each with at most ${maxTimeslots} time slots.`,
  audit: 'delivery_method',
  isIdempotent: true,
  body: Joi.object<NewMethod>({
    ...fields,
    name: name.required(),
    kind: kind.required(),
    currency: fields.currency.default(null),
    fee_amount: amount.default(0),
    free_from_amount: fields.free_from_amount.default(null),
    lead_days: fields.lead_days.default(0),
    active: flag.default(true),
    connection_id: fields.connection_id.default(null),
    timeslots: fields.timeslots.default([]),
  }),
  responses: { 201: methodView },
  example: {
    body: {
      name: 'Our own courier',
      kind: 'flat',
      currency: 'IDR',
      fee_amount: 1_500_000,
      timeslots: [{ label: '09:00 - 12:00', weekdays: [1, 2, 3, 4, 5], capacity: 20 }],
    },
  },
  handler: ({ body, own, write }) =>
    write({ locks: [methodsLock(own.organizationId)] }, async (tx) => ({
      status: 201,
      body: toView(await createMethod(tx.own, body)),
    })),
});

export const getDeliveryMethod = endpoint({
  ...about,
  method: 'get',
  path: onePath,
  operationId: 'commerce.delivery-methods.get',
  scope: 'commerce:read',
  summary: 'Get one delivery method',
  responses: { 200: methodView },
  handler: async ({ params, own }) => ok(toView(await getMethod(own, params.methodID))),
});

export const patchDeliveryMethod = endpoint({
  ...about,
  method: 'patch',
  path: onePath,
  operationId: 'commerce.delivery-methods.update',
  scope: 'commerce:write',
  summary: 'Change a delivery method',
  description: 'What is not given stays; `timeslots` are given together. Orders keep name and fee as they were sold.',
  audit: 'delivery_method',
  body: Joi.object<MethodPatch>(fields).min(1),
  responses: { 200: methodView },
  example: { body: { lead_days: 2 } },
  handler: ({ params, body, write }) =>
    write({}, async ({ own }) => ({
      ...ok(toView(await changeMethod(own, params.methodID, body))),
      audit: { details: { changed: Object.keys(body) } },
    })),
});

export const deleteDeliveryMethod = endpoint({
  ...about,
  method: 'delete',
  path: onePath,
  operationId: 'commerce.delivery-methods.delete',
  scope: 'commerce:write',
  summary: 'Delete a delivery method',
  description: 'Orders keep its name and its fee.',
  audit: 'delivery_method',
  responses: { 204: null },
  handler: ({ params, write }) =>
    write({ isLong: true }, async ({ own }) => {
      await deleteMethod(own, params.methodID);
      return { status: 204 };
    }),
});

const count = Joi.number().integer().required();
const timeslotsView = view(
  Joi.object({
    items: Joi.array()
      .items(
        Joi.object({
          id: id.required(),
          label: Joi.string().required(),
          capacity: count.allow(null),
          used: count,
          available: count.allow(null).description('null: any number'),
          is_open: Joi.boolean().required().description('An order could take it now'),
        }),
      )
      .required(),
  }),
  {
    items: [{ id: exampleIdOf('timeslot'), label: '09:00 - 12:00', capacity: 20, used: 3, available: 17, is_open: true }],
  },
);

export const listOfTimeslots = endpoint({
  ...about,
  method: 'get',
  path: `${onePath}/timeslots`,
  operationId: 'commerce.delivery-methods.timeslots',
  scope: 'commerce:read',
  summary: 'List the time slots of a day with what is free of them',
  query: Joi.object<{ date: string }>({ date: day.required().description("YYYY-MM-DD, a day of the store's zone") }),
  responses: { 200: timeslotsView },
  example: { query: { date: '2027-03-01' } },
  handler: async ({ params, query, own }) => ok({ items: await timeslotsOf(own, params.methodID, query.date) }),
});
