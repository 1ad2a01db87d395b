import Joi from 'joi';
import { getOrder, orderLock } from '../../src/commerce/orders/order-row.ts';
import { changeOrder } from '../../src/commerce/orders/order-tx.ts';
import { askForShipment, type ShipmentWish } from '../../src/commerce/shipping/ask.ts';
import { askForCancel } from '../../src/commerce/shipping/cancel.ts';
import { type FoundShipment, foundShipments, settleShipment } from '../../src/commerce/shipping/settle-by-hand.ts';
import { shipmentConfirmStatuses, shipmentStatuses } from '../../src/commerce/shipping/shipment.entity.ts';
import { getShipment, listShipments, type ShipmentRow } from '../../src/commerce/shipping/shipment-row.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIdOf, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, operationNote, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { failureSchema } from './shipping-quotes.ts';

const told = (what: string) => Joi.string().allow('').required().description(what);

const shipmentView = view(
  'shipment',
  Joi.object({
    id: id.required().description("The shipper's reference of it too"),
    order_id: id.required(),
    connection_id: id.required(),
    status: Joi.string()
      .valid(...shipmentStatuses)
      .required()
      .description('An order has one at most that is creating, confirmed or cancelling'),
    provider_status: told("The shipper's own word; empty: it has not said one"),
    shipper_order_id: Joi.string().allow(null).required().description('null: not known yet'),
    courier_code: Joi.string().required(),
    courier_service_code: Joi.string().required(),
    destination_area_id: told("The shipper's id of the area"),
    shipper_price_idr: Joi.number().integer().allow(null).required().description('Whole rupiah; null: not known yet'),
    tracking_number: told('Empty: none yet'),
    tracking_url: told('https; empty: none yet. Only shown, never called'),
    confirm_status: Joi.string()
      .valid(...shipmentConfirmStatuses)
      .required(),
    confirm_error: told('Why the shipper did not take it'),
    failure: failureSchema.description('Why the last work for it failed. When its connection was deleted, `settle` it by hand'),
    checked_at: timestamp.allow(null).required().description('When the shipper was asked last'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('shipment'),
    order_id: exampleIdOf('order'),
    connection_id: exampleIdOf('connection'),
    status: 'confirmed',
    provider_status: 'picked',
    shipper_order_id: '6251863341sa3714e6637fab',
    courier_code: 'jne',
    courier_service_code: 'reg',
    destination_area_id: 'IDNP11IDNC100IDND800IDZ12430',
    shipper_price_idr: 12_000,
    tracking_number: 'JNE0012345',
    tracking_url: 'https://track.example/6251863341sa3714e6637fab',
    confirm_status: 'confirmed',
    confirm_error: '',
    failure: null,
    checked_at: exampleTime,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const toView = ({ shipper_price_idr, checked_at, created_at, updated_at, ...shipment }: ShipmentRow) => ({
  ...shipment,
  shipper_price_idr: shipper_price_idr === null ? null : Number(shipper_price_idr),
  checked_at: checked_at && iso(checked_at),
  created_at: iso(created_at),
  updated_at: iso(updated_at),
});

const code = Joi.string()
  .max(50)
  .pattern(/^[a-z0-9_-]{1,50}$/, 'code')
  .description("As the shipper writes it; else the rate's that the order was sold with");

const about = { tag: 'Commerce' } as const;
const path = '/v1/commerce/orders/:orderID/shipments';

export const createOneShipment = endpoint({
  ...about,
  subject: 'Order',
  method: 'post',
  path,
  operationId: 'commerce.shipments.create',
  scope: 'commerce:write',
  audit: 'order',
  summary: 'Have an order fetched by a courier',
  description: `The order becomes processing, and the shipper's news move it on: shipped when the courier has the parcel, completed when it is delivered. An order has one live shipment: another is a 409, whose \`value\` is the first. One that failed, came back or was cancelled makes way for the next. 409 too for an order that is not confirmed or processing. Once the shipper took it nothing orders it twice, whichever answers are lost. ${operationNote}`,
  isIdempotent: true,
  isOperation: true,
  body: Joi.object<ShipmentWish>({
    connection_id: id.description("A shipper connection; else the rate's, else the default one"),
    courier_code: code,
    courier_service_code: code,
  }).and('courier_code', 'courier_service_code'),
  responses: { 201: shipmentView },
  errors: [409],
  example: { body: { courier_code: 'jne', courier_service_code: 'reg' } },
  handler: ({ params: { orderID }, body, caller, write }) =>
    write({ locks: [orderLock(orderID)], retryOn: ['shipments_live'] }, async ({ own }) => {
      const { id: shipmentId, operationId } = await askForShipment(own, orderID, body ?? {}, actorOf(caller));
      return { status: 201, body: toView(await getShipment(own, orderID, shipmentId)), operationId };
    }),
  outcome: async ({ params, own }, _deps, reply) => ({
    ...reply,
    body: toView(await getShipment(own, params.orderID!, (reply.body as { id: string }).id)),
  }),
});

export const listOfShipments = endpoint({
  ...about,
  subject: 'Order',
  method: 'get',
  path,
  operationId: 'commerce.shipments.list',
  scope: 'commerce:read',
  summary: "List an order's shipments, newest first",
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(shipmentView) },
  async handler({ params: { orderID }, query, own }) {
    await getOrder(own, orderID);
    const read = (page: Parameters<typeof listShipments>[2]) => listShipments(own, { orderId: orderID }, page);
    return listed('shipments', { orderID }, query, read, toView);
  },
});

export const getOneShipment = endpoint({
  ...about,
  subject: 'Shipment',
  method: 'get',
  path: `${path}/:shipmentID`,
  operationId: 'commerce.shipments.get',
  scope: 'commerce:read',
  summary: 'Get a shipment',
  responses: { 200: shipmentView },
  handler: async ({ params, own }) => ok(toView(await getShipment(own, params.orderID, params.shipmentID))),
});

export const cancelOneShipment = endpoint({
  ...about,
  subject: 'Shipment',
  method: 'post',
  path: `${path}/:shipmentID/cancel`,
  operationId: 'commerce.shipments.cancel',
  scope: 'commerce:write',
  audit: 'order',
  summary: 'Cancel a shipment',
  description: `Until the courier has the parcel: \`confirmed\`, \`scheduled\`, \`allocated\`, \`picking_up\`; later it is a 409. One that is cancelled is answered at once, and asked again while it is under way it is the same operation. The order stays as it is. ${operationNote}`,
  isIdempotent: true,
  isOperation: true,
  responses: { 200: shipmentView },
  errors: [409],
  handler: ({ params: { orderID, shipmentID }, caller, write }) =>
    write({ locks: [orderLock(orderID)] }, async ({ own }) => {
      const { operationId } = await askForCancel(own, orderID, shipmentID, actorOf(caller));
      await own.flush();
      return { ...ok(toView(await getShipment(own, orderID, shipmentID))), ...(operationId && { operationId }) };
    }),
  outcome: async ({ params, own }) => ok(toView(await getShipment(own, params.orderID!, params.shipmentID!))),
});

export const settleOneShipment = endpoint({
  ...about,
  subject: 'Shipment',
  method: 'post',
  path: `${path}/:shipmentID/settle`,
  operationId: 'commerce.shipments.settle',
  scope: 'commerce:write',
  audit: 'shipment',
  summary: 'Say what became of a shipment that nobody can be asked about',
  description:
    'Of one that has not ended and whose connection was deleted, or whose creation had no answer before its customer was erased: look at the shipper, then say what you found there. `cancelled`: it was called off there, or never ordered; another one can be asked for. Said already, it stays as it is. 409 while the connection is there, whose word decides, and for a shipment that has ended otherwise.',
  errors: [409],
  body: Joi.object<{ status: FoundShipment }>({
    status: Joi.string()
      .valid(...foundShipments)
      .required()
      .description('What became of the parcel'),
  }),
  responses: { 200: shipmentView },
  example: { body: { status: 'delivered' } },
  handler: ({ params: { orderID, shipmentID }, body, caller, write }) =>
    write({ locks: [orderLock(orderID)] }, async ({ own }) => {
      await changeOrder(own, { id: orderID, actor: actorOf(caller) }, (order) => settleShipment(order, shipmentID, body.status));
      await own.flush();
      return ok(toView(await getShipment(own, orderID, shipmentID)));
    }),
});
