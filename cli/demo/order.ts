import { ask } from '../start/local-http.ts';
import { createEndpoint } from './endpoint.ts';
import { atProvider, seenAtProvider } from './provider.ts';
import { chapterOn, Missing, type Play, request, type Stage, shortId } from './stage.ts';
import { untilNothing } from './wait.ts';
import { webhooksOf } from './webhooks.ts';

const waits = { prefer: 'wait=10' };
const address = { address: 'Jl. Menteng Raya 5', city: 'Jakarta Pusat', district: 'Menteng', province: 'DKI Jakarta' };

type Order = {
  id: string;
  order_no: string;
  status: string;
  payment_status: string;
  total_amount: number;
  currency: string;
  shipping_metadata: { booking?: { calendar_sync_status?: string; calendar_event_id?: string; video_meet_url?: string } };
};

/** From the price of the delivery to the parcel at the door, with the hour in the calendar. */
export const playOrder: Play = async (stage, onEndpoint) => {
  const chapter = chapterOn(stage);
  await chapter('Your app says where its webhooks go', async () => onEndpoint(await createEndpoint(stage)));
  const delivery = await chapter('Your app asks what the delivery costs', () => quote(stage));
  const startsAt = await chapter('Your app asks which hours are free', () => freeSlot(stage));
  const order = await chapter('A customer orders soap and half an hour of advice', () => create(stage, delivery, startsAt));
  await chapter('The customer pays on the page of the provider', () => pay(stage, order));
  await chapter('The hour stands in the calendar', () => calendar(stage, order));
  await chapter('The courier takes the parcel, and brings it', () => parcel(stage, order));
  const rest = {
    what: 'Order',
    outcome: 'delivered',
    note: `${order.order_no}, its timeline at /v1/commerce/orders/{id}/timeline`,
  };
  return { sent: [], received: 0, rest };
};

const ordersPath = '/v1/commerce/orders';
const told = ({ status, body }: { status: number; body: Order }) => ({
  what: `${status} ${body.status}`,
  note: `order ${body.order_no}, ${body.payment_status}`,
});

type Quote = { id: string; status: string; rates: { id: string; courier_code: string }[] };

async function quote(stage: Stage) {
  const { product, delivery_method } = stage.installation;
  const { items: areas } = await request<{ items: { id: string; name: string }[] }>(
    stage,
    '/v1/commerce/shipping-areas?search=Menteng',
    200,
    {},
    ({ status, body }) => ({ what: `${status}`, note: body.items[0]?.name }),
  );
  const area = areas[0];
  if (!area) throw new Missing('An area that the shipper knows');
  const body = {
    delivery_method_id: delivery_method.id,
    destination: { area_id: area.id },
    items: [{ variant_id: product.variant_id, quantity: 2 }],
  };
  const path = '/v1/commerce/shipping-quotes';
  const asked = await request<Quote>(
    stage,
    path,
    201,
    { method: 'POST', body, headers: waits, note: 'Prefer: wait=10' },
    ({ status, body }) => ({ what: `${status} ${body.status}`, note: `${body.rates.length} rates of couriers` }),
  );
  const { id, rates } = await settled(stage, 'The quote', path, asked, ({ status }) => status !== 'pending');
  if (!rates[0]) throw new Missing('A rate of a courier');
  return { quoteId: id, rateId: rates[0].id, area };
}

async function freeSlot(stage: Stage): Promise<string> {
  const dayMs = 86_400_000;
  const day = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10);
  const { items } = await request<{ items: { starts_at: string }[] }>(
    stage,
    `/v1/commerce/services/${stage.installation.service.id}/slots?from=${day(1)}&to=${day(8)}`,
    200,
    {},
    ({ status, body }) => ({ what: `${status}`, note: `${body.items.length} free, the first at ${body.items[0]?.starts_at}` }),
  );
  if (!items[0]) throw new Missing('A free hour within a week');
  return items[0].starts_at;
}

type Delivery = Awaited<ReturnType<typeof quote>>;

const create = (stage: Stage, { quoteId, rateId, area }: Delivery, startsAt: string) => {
  const { product, service, delivery_method } = stage.installation;
  const body = {
    items: [
      { variant_id: product.variant_id, quantity: 2 },
      { variant_id: service.variant_id, quantity: 1 },
    ],
    ...{ customer_name: 'Ada Lovelace', customer_phone: '+6281234567890' },
    ...{ delivery_method_id: delivery_method.id, quote_id: quoteId, rate_id: rateId },
    shipping_address: { ...address, area_id: area.id, area_name: area.name },
    booking: { service_id: service.id, starts_at: startsAt },
  };
  return request<Order>(stage, ordersPath, 201, { method: 'POST', body }, told);
};

type Session = { id: string; status: string; provider_session_id: string | null; amount: number; currency: string };

async function pay(stage: Stage, order: Order) {
  const path = `${ordersPath}/${order.id}/payment-sessions`;
  const asked = await request<Session>(
    stage,
    path,
    200,
    { method: 'POST', body: {}, headers: waits, note: 'Prefer: wait=10' },
    ({ status, body }) => ({
      what: `${status} ${body.status}`,
      note: body.provider_session_id
        ? `a page for ${body.amount} minor units of ${body.currency}`
        : 'no page yet: the worker or the provider is late',
    }),
  );
  const session = await settled(
    stage,
    'The payment page',
    path,
    asked,
    ({ provider_session_id }) => provider_session_id !== null,
  );
  const at = await atProvider(stage, `payments/${session.provider_session_id}/pay`);
  stage.timeline.add({
    at,
    from: 'customer',
    to: 'provider',
    what: 'pays',
    note: `session ${shortId(session.provider_session_id!)}`,
  });
  await webhooksOf(stage, order.id, ['commerce.payment.updated received', 'commerce.order.updated confirmed']);
}

/** `Prefer: wait` gives up after its seconds: what is not done by then is looked at until it is. */
async function settled<Row extends { id: string; status: string }>(
  stage: Stage,
  what: string,
  list: string,
  asked: Row,
  isSettled: (row: Row) => boolean,
): Promise<Row> {
  const { base_url, api_key: key } = stage.installation;
  let row = asked;
  await untilNothing(async () => {
    if (isSettled(row)) return [];
    row = (await ask<Row>(`${base_url}${list}/${asked.id}`, { key, signal: stage.signal }))?.body ?? row;
    return isSettled(row) ? [] : [`${what}, still "${row.status}"`];
  }, stage);
  return row;
}

const readOrder = (stage: Stage, id: string) => request<Order>(stage, `${ordersPath}/${id}`, 200, {}, told);

type Entry = { id: string; status: string; start: { dateTime: string } };

async function calendar(stage: Stage, { id }: Order) {
  await untilNothing(() => {
    const synced = stage.receiver.arrivals.some(({ aboutId, calendarStatus }) => aboutId === id && calendarStatus === 'synced');
    return synced ? [] : ['the webhook commerce.booking.updated that says synced'];
  }, stage);
  const { shipping_metadata } = await readOrder(stage, id);
  const { events } = await seenAtProvider<{ events: Entry[] }>(stage, 'calendar/events');
  const entry = events.find((event) => event.id === shipping_metadata.booking?.calendar_event_id);
  if (entry?.status !== 'confirmed') throw new Missing('The entry in the calendar');
  stage.timeline.add({
    at: Date.now(),
    from: 'calendar',
    to: 'staff',
    what: entry.start.dateTime,
    note: shipping_metadata.booking?.video_meet_url,
  });
}

async function parcel(stage: Stage, { id }: Order) {
  const path = `${ordersPath}/${id}/shipments`;
  const shipment = await request<{ id: string; status: string; courier_code: string }>(
    stage,
    path,
    201,
    { method: 'POST', body: {}, headers: waits, note: 'Prefer: wait=10' },
    ({ status, body }) => ({ what: `${status} ${body.status}`, note: `with ${body.courier_code}` }),
  );
  await settled(stage, 'The shipment', path, shipment, ({ status }) => status !== 'creating');
  for (const [courier, order] of [
    ['picked', 'shipped'],
    ['delivered', 'completed'],
  ] as const) {
    const at = await atProvider(stage, `shipments/${shipment.id}/status`, { status: courier });
    stage.timeline.add({ at, from: 'courier', to: 'provider', what: courier });
    await webhooksOf(stage, id, [`commerce.order.updated ${order}`]);
  }
  const { status } = await readOrder(stage, id);
  if (status !== 'completed') throw new Missing(`A completed order: it is ${status}`);
}
