import express, { type NextFunction, type Request, Router } from 'express';
import { answer, type ServiceResponse, serviceIntake } from '../services/intake.ts';
import type { State } from '../state.ts';
import { searchAreas } from './areas.ts';
import { errorBody, refuse, ShipperError } from './errors.ts';
import { cancelOrder, createOrder, placeOf, shown, weightOf } from './orders.ts';
import { pricing } from './rates.ts';
import type { ShipperOrder } from './store.ts';

type Body = Record<string, unknown>;
const bodyOf = (req: Request): Body => (typeof req.body === 'object' && req.body !== null ? (req.body as Body) : {});

/** The shipper Biteship, as far as Kanal asks it, and a draft order more. */
export function shipperRouter(state: State): Router {
  const router = Router();
  router.use(express.json({ limit: '1mb' }), ignoreMalformedBody);
  router.use(serviceIntake(state, errorBody));
  router.use((req, res: ServiceResponse, next) => {
    const key = (req.headers.authorization ?? '').replace(/^Bearer /, '');
    if (!state.shipper.isGood(key)) throw new ShipperError(401, 40_100_001, 'Authorization failed');
    res.locals.key = key;
    next();
  });

  router.get('/v1/maps/areas', (req, res: ServiceResponse) => {
    const { countries, input } = req.query;
    if (countries !== 'ID') throw new ShipperError(400, 40_000_003, 'Please make sure countries is filled');
    if (typeof input !== 'string' || input.trim().length < 2)
      throw new ShipperError(400, 40_000_004, 'Please make sure input is filled');
    answer(res, 200, { success: true, areas: searchAreas(input) });
  });

  router.post('/v1/rates/couriers', (req, res: ServiceResponse) => {
    const body = bodyOf(req);
    const [origin, destination] = [placeOf(body, 'origin'), placeOf(body, 'destination')];
    if (!origin || !destination)
      throw new ShipperError(400, 40_001_001, 'Failed due to invalid or missing postal code, area or coordinate');
    if (typeof body.couriers !== 'string' || body.couriers === '')
      throw new ShipperError(400, 40_001_002, 'Please make sure couriers is filled');
    const grams = weightOf(body.items);
    if (grams === undefined) throw new ShipperError(400, 40_001_003, 'Please make sure the items are filled');
    const rates = pricing({ origin, destination, grams }, body.couriers.split(','));
    if (rates.length === 0) throw new ShipperError(400, 40_001_010, 'No courier is available for the requested location');
    const message = 'Success to retrieve courier pricing';
    answer(res, 200, {
      success: true,
      object: 'courier_pricing',
      message,
      code: 20_001_003,
      origin,
      destination,
      pricing: rates,
    });
  });

  router.post('/v1/orders', (req, res: ServiceResponse) => {
    answer(res, 200, { ...shown(createOrder(state, req, keyOf(res), bodyOf(req))), message: 'Order successfully created' });
  });
  router.get('/v1/orders/:id', (req, res: ServiceResponse) => answer(res, 200, shown(orderOf(state, req, res))));
  router.post('/v1/orders/:id/cancel', (req, res: ServiceResponse) => {
    const order = cancelOrder(state, req, orderOf(state, req, res), bodyOf(req));
    answer(res, 200, { ...shown(order), message: 'Order successfully cancelled' });
  });

  router.post('/v1/draft_orders', (req, res: ServiceResponse) => {
    const id = state.shipper.addDraft(keyOf(res), bodyOf(req));
    answer(res, 200, { success: true, object: 'draft_order', id, status: 'placed', ...bodyOf(req) });
  });
  router.post('/v1/draft_orders/:id/confirm', (req, res: ServiceResponse) => {
    const draft = state.shipper.drafts.get(String(req.params.id));
    if (draft?.key !== keyOf(res)) throw new ShipperError(404, 40_400_002, 'Draft order is not found');
    answer(res, 200, shown(createOrder(state, req, draft.key, draft.body, String(req.params.id))));
  });

  router.get('/v1/trackings/:id', (req, res: ServiceResponse) => {
    const order = state.shipper.ofTracking(String(req.params.id), keyOf(res));
    if (!order) throw new ShipperError(404, 40_400_003, 'Tracking is not found');
    const { courier, destination, history, id, origin, status } = order;
    const { waybill_id, link } = courier;
    const tracked = { id: courier.tracking_id, waybill_id, courier, origin, destination, history, link, order_id: id, status };
    answer(res, 200, { success: true, message: 'Successfully get tracking info', object: 'tracking', ...tracked });
  });

  router.use(() => {
    throw new ShipperError(404, 40_400_001, 'The request is not exist');
  });
  router.use((error: unknown, _req: Request, res: ServiceResponse, _next: NextFunction) => {
    refuse(res, error instanceof ShipperError ? error : new ShipperError(500, 50_000_001, String(error)));
  });
  return router;
}

const keyOf = (res: ServiceResponse) => res.locals.key as string;

function orderOf(state: State, req: Request, res: ServiceResponse): ShipperOrder {
  const order = state.shipper.get(String(req.params.id), keyOf(res));
  if (!order) throw new ShipperError(404, 40_003_001, 'Order is not found');
  return order;
}

function ignoreMalformedBody(_error: unknown, req: Request, _res: ServiceResponse, next: NextFunction): void {
  req.body = {};
  next();
}
