import type { Request } from 'express';
import type { State } from '../state.ts';
import { type Area, areaOf, areas } from './areas.ts';
import { ShipperError } from './errors.ts';
import { priceFor } from './rates.ts';
import { noted, type ShipperOrder } from './store.ts';
import { tell } from './webhooks.ts';

type Body = Record<string, unknown>;
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

/** In the order in which they are refused. */
const required: [field: string, code: number, message: string][] = [
  ['delivery_type', 40_002_005, "Delivery type has no value. Please specify whether it's a 'Now', or 'Scheduled' delivery type"],
  ['origin_contact_name', 40_002_014, 'Please make sure origin contact name is filled'],
  ['origin_contact_phone', 40_002_015, 'Please make sure origin contact phone is filled'],
  ['origin_address', 40_002_016, 'Please make sure origin address is filled'],
  ['destination_contact_name', 40_002_017, 'Please make sure destination contact name is filled'],
  ['destination_contact_phone', 40_002_018, 'Please make sure destination contact phone is filled'],
  ['destination_address', 40_002_019, 'Please make sure destination address is filled'],
];

const postal = (value: unknown) => areas.find(({ postal_code }) => String(postal_code) === String(value));

export function placeOf(body: Body, end: 'origin' | 'destination'): Area | undefined {
  return areaOf(body[`${end}_area_id`]) ?? postal(body[`${end}_postal_code`]);
}

/** Grams; undefined: they are no items. */
export function weightOf(items: unknown): number | undefined {
  if (!Array.isArray(items) || items.length === 0) return undefined;
  let grams = 0;
  for (const item of items as Body[]) {
    const { name, value, weight, quantity } = item ?? {};
    const isWhole = [value, weight, quantity].every((one) => Number.isSafeInteger(one));
    if (!isText(name) || !isWhole || (value as number) < 0 || (weight as number) < 1 || (quantity as number) < 1)
      return undefined;
    grams += (weight as number) * (quantity as number);
  }
  return grams;
}

/** The same reference is refused and names the order there is. */
export function createOrder(state: State, req: Request, key: string, body: Body, draftId: string | null = null): ShipperOrder {
  for (const [field, code, message] of required) if (!isText(body[field])) throw new ShipperError(400, code, message);
  if (!['now', 'later', 'scheduled'].includes(body.delivery_type as string))
    throw new ShipperError(400, 40_002_006, 'Please make sure to input the right delivery type value');
  const [origin, destination] = [placeOf(body, 'origin'), placeOf(body, 'destination')];
  if (!destination) throw new ShipperError(400, 40_002_010, 'Either destination needs to have postal code or coordinate');
  if (!origin) throw new ShipperError(400, 40_002_011, 'Either origin needs to have postal code or coordinate');
  const grams = weightOf(body.items);
  if (grams === undefined)
    throw new ShipperError(400, 40_002_030, 'Please make sure the items are filled with name, value, weight and quantity');
  const price = priceFor({ origin, destination, grams }, body.courier_company, body.courier_type);
  if (price === undefined) throw new ShipperError(400, 40_002_021, 'There is no courier of this type for the route');
  const reference = isText(body.reference_id) ? body.reference_id : null;
  const known = reference === null ? undefined : state.shipper.ofReference(key, reference);
  if (known)
    throw new ShipperError(400, 40_002_060, 'The reference_id is used by another order', {
      order_id: known.id,
      waybill_id: known.courier.waybill_id,
      reference_id: reference,
    });
  const order = state.shipper.add({
    key,
    reference_id: reference,
    draft_order_id: draftId,
    price,
    company: body.courier_company as string,
    type: body.courier_type as string,
    origin: endOf(body, 'origin'),
    destination: endOf(body, 'destination'),
    items: body.items as unknown[],
  });
  const change = state.behaviour.shipper_price_change;
  tell(state, req, order, ['order.status', 'order.waybill_id']);
  if (change !== null) {
    order.price = Math.max(0, order.price + change);
    tell(state, req, order, ['order.price']);
  }
  return order;
}

const endOf = (body: Body, end: string) =>
  Object.fromEntries(
    ['contact_name', 'contact_phone', 'address', 'note', 'postal_code', 'area_id'].flatMap((name) => {
      const value = body[`${end}_${name}`];
      return value === undefined ? [] : [[name, value]];
    }),
  );

const cancellable = ['confirmed', 'scheduled', 'allocated', 'picking_up'];

export function cancelOrder(state: State, req: Request, order: ShipperOrder, body: Body): ShipperOrder {
  if (!isText(body.cancellation_reason_code))
    throw new ShipperError(400, 40_003_003, 'Please make sure cancellation reason code is filled');
  if (!cancellable.includes(order.status))
    throw new ShipperError(400, 40_003_002, `Order with status ${order.status} cannot be cancelled`);
  noted(order, 'cancelled', 'Order has been cancelled');
  order.cancellation_reason = isText(body.cancellation_reason) ? body.cancellation_reason : body.cancellation_reason_code;
  tell(state, req, order, ['order.status']);
  return order;
}

export const shown = (order: ShipperOrder) => ({
  success: true,
  message: 'Order successfully retrieved',
  object: 'order',
  id: order.id,
  draft_order_id: order.draft_order_id,
  shipper: { name: 'Sandbox' },
  origin: order.origin,
  destination: order.destination,
  courier: { ...order.courier, history: order.history },
  delivery: { type: 'now' },
  reference_id: order.reference_id,
  items: order.items,
  currency: 'IDR',
  price: order.price,
  note: null,
  status: order.status,
  ...(order.cancellation_reason !== null && { cancellation_reason: order.cancellation_reason }),
});
