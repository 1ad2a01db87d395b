import { randomBytes, randomUUID } from 'node:crypto';
import { uuidv7 } from '../../src/platform/ids.ts';
import type { App, Body, Reply, Tenant } from './app.ts';
import { testSecrets } from './secrets.ts';
import { waitFor } from './wait-for.ts';

/** Of the sandbox. */
export const cilandak = 'IDNP11IDNC100IDND800IDZ12430';
export const menteng = 'IDNP11IDNC102IDND802IDZ10310';
export const coblong = 'IDNP10IDNC105IDND805IDZ40132';

export type ShipperAccount = { id: string; apiKey: string; secret: string; tenant: Tenant };

/** A shipper's connection, the default one, and a store that says where its parcels are fetched. */
export async function connectShipper(app: App, { tenant = app.tenant, isPaced = false } = {}): Promise<ShipperAccount> {
  const { organizationId } = tenant;
  const account = { id: uuidv7(), apiKey: `biteship_test.${randomBytes(8).toString('hex')}`, secret: randomUUID(), tenant };
  await app.rows(
    `insert into connections (id, organization_id, kind, provider, name, credentials, webhook_secret, is_default)
     values ($1, $2, 'shipper', 'biteship', 'Shipper', $3, $4,
             not exists (select from connections where organization_id = $2 and kind = 'shipper' and is_default))`,
    [account.id, organizationId, testSecrets.seal(JSON.stringify({ api_key: account.apiKey })), testSecrets.seal(account.secret)],
  );
  await app.rows('insert into pools (organization_id, id, width, rate) values ($1, $2, 4, $3)', [
    organizationId,
    `connection:${account.id}`,
    isPaced ? 5 : null,
  ]);
  await app.rows(
    `insert into commerce_settings (organization_id, currency, shipping_origin)
     values ($1, 'IDR', $2)
     on conflict (organization_id) do update set shipping_origin = excluded.shipping_origin`,
    [
      organizationId,
      JSON.stringify({ contact_name: 'Store', contact_phone: '+6281200000001', address: 'Jl. Satu 1', area_id: cilandak }),
    ],
  );
  return account;
}

/** Its webhooks come to us from now on. */
export const hearShipper = (app: App, { id, apiKey, secret }: ShipperAccount) =>
  app.control('POST', '/shipper-accounts', {
    api_key: apiKey,
    webhook: { url: `${app.base}/v1/providers/shipping/${id}/webhook`, header: 'x-webhook-secret', secret },
  });

let made = 0;

/** A confirmed order of two things of 600 g, with an address; its stock is settled. */
export async function orderToSend(
  app: App,
  columns: Record<string, unknown> = {},
  { tenant = app.tenant } = {},
): Promise<string> {
  made += 1;
  const order: Record<string, unknown> = {
    id: uuidv7(),
    organization_id: tenant.organizationId,
    order_no: `S-${String(made).padStart(6, '0')}`,
    status: 'confirmed',
    stock: 'committed',
    customer_name: 'Siti',
    customer_phone: '+6281200000002',
    delivery_kind: 'flat',
    currency: 'IDR',
    delivery_fee_amount: 0,
    discount_amount: 0,
    subtotal_amount: 20_000_000,
    total_amount: 20_000_000,
    shipping_address: JSON.stringify({
      address: 'Jl. Dua 2',
      city: 'Jakarta Pusat',
      district: 'Menteng',
      province: 'DKI Jakarta',
      area_id: menteng,
    }),
    ...columns,
  };
  const names = Object.keys(order);
  await app.rows(
    `insert into orders (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(order),
  );
  await app.rows(
    `insert into order_items (id, organization_id, order_id, position, sku, name, quantity, unit_amount, discount_amount, total_amount,
                              tracks_stock, is_shipped, weight_grams)
     values ($1, $2, $3, 0, 'TEA', 'Tea', 2, 10000000, 0, 20000000, false, true, 600)`,
    [uuidv7(), tenant.organizationId, order.id],
  );
  return order.id as string;
}

type Sold = { kind?: string; weight?: number | null; currency?: string; isActive?: boolean };

/** Of a product of its own, at 50,000.00. */
export async function weighedVariant(
  app: App,
  organizationId: string,
  { kind = 'physical', weight = 600, currency = 'IDR', isActive = true }: Sold = {},
): Promise<string> {
  const [productId, id] = [uuidv7(), uuidv7()];
  await app.rows(`insert into products (id, organization_id, name, slug, kind) values ($1, $2, 'Tea', $3, $4)`, [
    productId,
    organizationId,
    `tea-${productId}`,
    kind,
  ]);
  await app.rows(
    `insert into product_variants (id, organization_id, product_id, sku, name, active, weight_grams) values ($1, $2, $3, $4, 'Green', $5, $6)`,
    [id, organizationId, productId, id, isActive, weight],
  );
  await app.rows('insert into variant_prices (organization_id, variant_id, currency, amount) values ($1, $2, $3, 5000000)', [
    organizationId,
    id,
    currency,
  ]);
  return id;
}

export const jne = { courier_code: 'jne', courier_service_code: 'reg' };
const waiting = { prefer: 'wait=20' };

export const ship = (app: App, orderID: string, body: object = jne, isWaiting = true): Promise<Reply> =>
  app.call('commerce.shipments.create', { params: { orderID }, body, ...(isWaiting && { headers: waiting }) });

export const cancel = (app: App, orderID: string, shipmentID: string, isWaiting = true): Promise<Reply> =>
  app.call('commerce.shipments.cancel', { params: { orderID, shipmentID }, ...(isWaiting && { headers: waiting }) });

export const orderRow = (app: App, id: string): Promise<Body> => app.one('select * from orders where id = $1', [id]);
export const shipmentRow = (app: App, id: string): Promise<Body> => app.one('select * from shipments where id = $1', [id]);

/** The courier goes on, at the sandbox. */
export const courier = (app: App, shipmentId: string, status: string, more: object = {}): Promise<Body> =>
  app.control('POST', `/shipments/${shipmentId}/status`, { status, ...more });

/** What the shipper was asked to send, by our reference. */
export async function there(app: App, shipmentId: string): Promise<Body[]> {
  const { shipments } = await app.control('GET', '/shipments');
  return shipments.filter(({ reference_id }: Body) => reference_id === shipmentId);
}

export const shipmentIn = (app: App, id: string, state: Record<string, unknown>): Promise<Body> =>
  waitFor(`shipment ${JSON.stringify(state)}`, async () => {
    const row = await shipmentRow(app, id);
    return Object.entries(state).every(([name, value]) => row[name] === value) ? row : undefined;
  });

/** As if the hour of its next look had come. */
export const lookNow = (app: App, orderId: string) =>
  app.rows(
    `update jobs set run_at = clock_timestamp(), check_at = clock_timestamp()
      where subject_id = $1 and name = 'commerce.check-shipment' and state in ('queued', 'waiting')`,
    [orderId],
  );

/** The shipper's answers to come. */
export const fault = (app: App, kind: string, path: string, more: object = {}) =>
  app.control('POST', '/faults', { kind, match: { path: `/shipper${path}`, ...(more as Body).match }, ...more });

export const shipmentEvents = async (app: App, orderId: string): Promise<string[]> =>
  (await app.events(orderId))
    .filter(({ type }) => type === 'commerce.shipment.updated')
    .map(({ data }) => `${data.status} ${data.provider_status}`.trim());

/** A shipment as the shipper took it, and a quote with one rate; nobody was asked. For the walks over all endpoints. */
export async function shippingRecords(app: App): Promise<{ orderID: string; shipmentID: string; quoteID: string }> {
  const { organizationId } = app.tenant;
  const { id: connectionId } = await connectShipper(app);
  const [orderID, shipmentID, quoteID] = [await orderToSend(app), uuidv7(), uuidv7()];
  await app.rows(
    `insert into shipments (id, organization_id, order_id, connection_id, status, shipper_order_id, courier_code, courier_service_code)
     values ($1, $2, $3, $4, 'cancelled', 'there-1', 'jne', 'reg')`,
    [shipmentID, organizationId, orderID, connectionId],
  );
  await app.rows(
    `insert into quotes (id, organization_id, connection_id, status, destination, items, expires_at)
     values ($1, $2, $3, 'ready', $4, '[]', clock_timestamp() + interval '30 min')`,
    [quoteID, organizationId, connectionId, JSON.stringify({ area_id: menteng })],
  );
  return { orderID, shipmentID, quoteID };
}
