import { uuidv7 } from '../../src/platform/ids.ts';
import { draftsOf, takeOrdersAway } from '../commerce/drafts.ts';
import { insertOrders } from '../commerce/orders.ts';
import { paymentEvent, signedEvent } from '../commerce/pages.ts';
import { shopOf } from '../commerce/shop.ts';
import { httpPath } from '../http-path.ts';
import type { Side } from '../stage.ts';
import { isLive, takeAway } from '../take-away.ts';
import { any } from './http.ts';

const orders = 5_000;
/** Every fourth has a booking, each was paid on a page. */
const orderIds = new Map<Side, string[]>();

export const getOrder = httpPath({
  name: 'get-order',
  what: 'GET /v1/commerce/orders/{id}',
  status: 200,
  async prepare(side) {
    const { orderIds: ids } = await insertOrders(side, await shopOf(side), orders, (index) => index % 4 === 0);
    orderIds.set(side, ids);
  },
  request: (side) => ({
    method: 'GET',
    path: `/v1/commerce/orders/${any(orderIds.get(side)!)}`,
    headers: { 'x-api-key': side.tenant.apiKey },
  }),
});

const ofShelf = draftsOf(({ variantIds }, index) =>
  [0, 1].map((line) => ({ variant_id: variantIds[(2 * index + line) % variantIds.length]!, quantity: 1 + line })),
);
const ofSale = draftsOf(({ variantIds }) => [{ variant_id: variantIds[0]!, quantity: 1 }]);

const conversion = ({ fill, conversion: request }: typeof ofShelf) => ({
  status: 201,
  prepare: fill,
  request,
  async between(side: Side) {
    await fill(side);
    await takeOrdersAway(side);
  },
});

export const convert = httpPath({
  name: 'convert',
  what: 'POST /v1/commerce/draft-orders/{id}/convert, two lines',
  ...conversion(ofShelf),
});

/** What they take is one row: each waits for the commit of those before it. */
export const flashSale = httpPath({
  name: 'flash-sale',
  what: 'the same of one variant, 64 clients at once',
  clients: 64,
  ...conversion(ofSale),
});

const payments = new Map<Side, string>();

export const paymentWebhook = httpPath({
  name: 'payment-webhook',
  what: "POST a payment provider's webhook",
  status: 200,
  async prepare(side) {
    payments.set(side, (await shopOf(side)).paymentId);
  },
  request(side) {
    const signed = signedEvent(paymentEvent(`cs_${uuidv7()}`, uuidv7()));
    return { method: 'POST', path: `/v1/providers/payments/${payments.get(side)}/webhook`, ...signed };
  },
  async between({ sql }) {
    await takeAway(sql, isLive);
    await sql.query('vacuum analyze jobs, connection_webhooks');
  },
});
