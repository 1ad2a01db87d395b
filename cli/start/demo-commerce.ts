import { calendarClient, refreshTokenPrefix, videoClient } from '../../sandbox/tokens.ts';
import { answerOf, type DemoApi, firstOr } from './demo-api.ts';
import { ask } from './local-http.ts';

type Item = { id: string };
type Connection = Item & { provider: string; webhook_url: string | null };

export type DemoCommerce = {
  connections: Record<Provider, string>;
  product: { id: string; variant_id: string };
  service: { id: string; variant_id: string; staff_id: string };
  delivery_method: Item;
};

/** What the sandbox takes, whoever asks. */
const credentials = {
  google: { refresh_token: refreshTokenPrefix, client_id: calendarClient.id, client_secret: calendarClient.secret },
  zoom: { account_id: 'demo', client_id: videoClient.id, client_secret: videoClient.secret },
  biteship: { api_key: 'biteship_test.demo' },
  stripe: { secret_key: 'sk_test_demo1234' },
};
type Provider = keyof typeof credentials;
const providers = Object.keys(credentials) as Provider[];

const currency = 'IDR';
const mornings = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, start: '08:00', end: '18:00' }));

/** `webhookSecret`: with which the sandbox signs what it tells of payments and parcels. */
type Where = DemoApi & { webhookSecret: string };

/** A shop with one thing to send and one service to book, and the accounts behind it. What is there already is kept. */
export async function prepareCommerce(where: Where): Promise<DemoCommerce> {
  const connections = await connect(where);
  const origin = await areaOf(where, 'Cilandak');
  await answerOf(where, {
    method: 'PATCH',
    path: '/v1/commerce/settings',
    body: {
      ...{ store_name: 'Demo Shop', store_slug: 'demo-shop', currency, timezone: 'Asia/Jakarta', order_no_prefix: 'DEMO-' },
      shipping_origin: {
        contact_name: 'Demo Shop',
        contact_phone: '+628111000001',
        address: 'Jl. Cilandak 1',
        area_id: origin.id,
      },
    },
    expected: 200,
  });
  const staff = await firstOr<Item>(where, '/v1/commerce/staff', {
    name: 'Sari',
    timezone: 'Asia/Jakarta',
    calendar_connection_id: connections.google,
    weekly_hours: mornings,
  });
  const service = await firstOr<Item>(where, '/v1/commerce/services', {
    ...{ name: 'Skin consultation', duration_minutes: 30, step_minutes: 30, conference: 'calendar', staff_ids: [staff.id] },
  });
  const soap = await productOf(where, 'soap', { name: 'Soap', kind: 'physical' }, [
    {
      sku: 'SOAP-1',
      name: 'Bar of soap',
      prices: { [currency]: 4_500_000 },
      weight_grams: 120,
      tracks_stock: true,
      on_hand: 100_000,
    },
  ]);
  const advice = await productOf(where, 'consultation', { name: 'Consultation', kind: 'service' }, [
    { sku: 'ADVICE-30', name: 'Half an hour', prices: { [currency]: 15_000_000 }, service_id: service.id },
  ]);
  const method = await firstOr<Item>(where, '/v1/commerce/delivery-methods', { name: 'Courier', kind: 'live' });
  return {
    connections,
    product: soap,
    service: { id: service.id, variant_id: advice.variant_id, staff_id: staff.id },
    delivery_method: { id: method.id },
  };
}

async function connect(where: Where): Promise<Record<Provider, string>> {
  const { items } = await answerOf<{ items: Connection[] }>(where, { method: 'GET', path: '/v1/connections', expected: 200 });
  const made: [Provider, Connection][] = [];
  // One after the other: each waits for the same lock of the organization, and a request waits only a moment for a lock.
  for (const provider of providers) {
    const known = items.find((connection) => connection.provider === provider);
    // What a known one has may be sealed with the key of an earlier home.
    const body = { credentials: credentials[provider], webhook_secret: where.webhookSecret };
    const connection = await answerOf<Connection>(where, {
      ...(known
        ? { method: 'PATCH', path: `/v1/connections/${known.id}`, body, expected: 200 }
        : { method: 'POST', path: '/v1/connections', body: { provider, name: `Demo ${provider}`, ...body }, expected: 201 }),
    });
    made.push([provider, connection]);
  }
  const by = Object.fromEntries(made) as Record<Provider, Connection>;
  await tellSandbox(where, by);
  return Object.fromEntries(made.map(([provider, { id }]) => [provider, id])) as Record<Provider, string>;
}

/** Where the sandbox's webhooks go: it keeps nothing, so it is told at each start. */
async function tellSandbox(
  { addresses, signal, webhookSecret: secret }: Where,
  { stripe, biteship }: Record<Provider, Connection>,
) {
  const accounts = [
    ['payment-accounts', { secret_key: credentials.stripe.secret_key, webhook: { url: stripe.webhook_url, secret } }],
    ['shipper-accounts', { api_key: credentials.biteship.api_key, webhook: { url: biteship.webhook_url, secret } }],
  ] as const;
  for (const [path, body] of accounts) {
    const answer = await ask(`${addresses.sandbox}/_control/${path}`, { method: 'POST', body, signal });
    if (answer?.status !== 200) throw new Error(`The sandbox's ${path} was answered ${answer?.status}`);
  }
}

export type Area = { id: string; name: string };

async function areaOf(where: Where, search: string): Promise<Area> {
  const path = `/v1/commerce/shipping-areas?search=${search}`;
  const { items } = await answerOf<{ items: Area[] }>(where, { method: 'GET', path, expected: 200 });
  return items[0]!;
}

async function productOf(where: Where, slug: string, product: object, [variant]: object[]) {
  const filters = encodeURIComponent(JSON.stringify([{ field: 'slug', value: slug }]));
  const list = `/v1/commerce/products?limit=1&filters=${filters}`;
  const { items } = await answerOf<{ items: Item[] }>(where, { method: 'GET', path: list, expected: 200 });
  const { id } =
    items[0] ??
    (await answerOf<Item>(where, { method: 'POST', path: '/v1/commerce/products', body: { slug, ...product }, expected: 201 }));
  const { id: variantId } = await firstOr<Item>(where, `/v1/commerce/products/${id}/variants`, variant!);
  return { id, variant_id: variantId };
}
