import type { Request } from 'express';
import type { State } from '../state.ts';
import type { ShipperOrder } from './store.ts';

export type ShipperEvent = 'order.status' | 'order.price' | 'order.waybill_id';

const bodies: Record<ShipperEvent, (order: ShipperOrder) => object> = {
  'order.status': ({ courier, price, status }) => ({
    order_price: price,
    courier_tracking_id: courier.tracking_id,
    courier_waybill_id: courier.waybill_id,
    courier_company: courier.company,
    courier_type: courier.type,
    courier_driver_name: 'Budi',
    courier_driver_phone: '+628100000001',
    courier_link: courier.link,
    status,
  }),
  'order.price': ({ courier, price, status }) => ({
    price,
    cash_on_delivery_fee: 0,
    proof_of_delivery_fee: 0,
    courier_tracking_id: courier.tracking_id,
    courier_waybill_id: courier.waybill_id,
    status,
  }),
  'order.waybill_id': ({ courier, status }) => ({
    courier_tracking_id: courier.tracking_id,
    courier_waybill_id: courier.waybill_id,
    courier_company: courier.company,
    courier_type: courier.type,
    status,
  }),
};

/** What happened, as it stands now, to the address that the merchant has set. `req`: whose faults hold for them. */
export function tell(
  state: State,
  req: Pick<Request, 'method' | 'originalUrl'>,
  order: ShipperOrder,
  events: ShipperEvent[],
): void {
  const webhook = state.shipper.webhookOf(order.key);
  if (!webhook) return;
  const callbacks = events.map((event) => {
    const body = Buffer.from(JSON.stringify({ event, order_id: order.id, ...bodies[event](order) }));
    return { url: webhook.url, build: () => ({ body, headers: { [webhook.header]: webhook.secret } }) };
  });
  const [path = '/'] = req.originalUrl.split('?', 1);
  state.callbacks.scheduleFor(callbacks, state.faults, req.method, path);
}
