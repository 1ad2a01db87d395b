import Joi from 'joi';
import { noted, type ShipperOrder, type ShipperStatus, shipperStatuses } from '../shipper/store.ts';
import { type ShipperEvent, tell } from '../shipper/webhooks.ts';
import type { State } from '../state.ts';
import { ControlError, check } from './check.ts';

interface Account {
  api_key: string;
  is_revoked?: boolean;
  webhook?: { url: string; header: string; secret: string } | null;
}

const accountSchema = Joi.object<Account>({
  api_key: Joi.string().required(),
  is_revoked: Joi.boolean().description('The key is refused from now on, or taken again'),
  webhook: Joi.object({
    url: Joi.string()
      .uri({ scheme: ['http', 'https'] })
      .required(),
    header: Joi.string().default('x-webhook-secret'),
    secret: Joi.string().required(),
  })
    .allow(null)
    .description("Where the account's webhooks go, and the header that proves them"),
});

interface Move {
  status?: ShipperStatus;
  price?: number;
  waybill_id?: string;
  is_told: boolean;
}

const moveSchema = Joi.object<Move>({
  status: Joi.string().valid(...shipperStatuses),
  price: Joi.number().integer().min(0),
  waybill_id: Joi.string(),
  is_told: Joi.boolean().default(true).description('By webhook'),
}).or('status', 'price', 'waybill_id');

/** What the merchant sets in the shipper's own pages. */
export function setShipperAccount(state: State, body: unknown): object {
  const { api_key, is_revoked, webhook } = check(accountSchema, body);
  if (is_revoked !== undefined) state.shipper.setRevoked(api_key, is_revoked);
  if (webhook !== undefined) state.shipper.setWebhook(api_key, webhook);
  return { api_key, is_good: state.shipper.isGood(api_key), webhook: state.shipper.webhookOf(api_key) ?? null };
}

const shown = ({ key: _key, ...order }: ShipperOrder) => order;

export const listShipments = (state: State): object => ({ shipments: state.shipper.all().map(shown) });

/** The courier goes on. `id`: the shipper's or the merchant's reference. */
export function moveShipment(state: State, id: string, body: unknown): object {
  const order = state.shipper.find(id);
  if (!order) throw new ControlError(404, `there is no shipment ${id}`);
  const { status, price, waybill_id, is_told } = check(moveSchema, body);
  const events: ShipperEvent[] = [];
  if (price !== undefined) {
    order.price = price;
    events.push('order.price');
  }
  if (waybill_id !== undefined) {
    order.courier.waybill_id = waybill_id;
    events.push('order.waybill_id');
  }
  if (status !== undefined) {
    noted(order, status, `Order is ${status}`);
    events.push('order.status');
  }
  if (is_told) tell(state, { method: 'POST', originalUrl: `/_control/shipments/${id}/status` }, order, events);
  return shown(order);
}
