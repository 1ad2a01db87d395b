import { connectionPool } from '../../src/connections/use.ts';
import { uuidv7 } from '../../src/platform/ids.ts';
import { createSecrets } from '../../src/platform/secrets.ts';
import type { Side } from '../stage.ts';

const variants = 1_000;
/** More than any round sells. */
const onHand = 1_000_000_000;

export type Shop = {
  variantIds: string[];
  methodId: string;
  serviceId: string;
  staffId: string;
  paymentId: string;
  calendarId: string;
  shipperId: string;
};

/** Of the sandbox, which knows this refresh token without any preparation. */
export const calendarAccount = 'bench@sandbox.example';
export const paymentKey = 'sk_test_bench';
const credentials = {
  stripe: { secret_key: paymentKey },
  google: {
    client_id: 'sandbox-calendar-client',
    client_secret: 'sandbox-calendar-secret',
    refresh_token: 'sandbox-refresh-token-bench',
  },
  biteship: { api_key: 'biteship_test.bench' },
};
const origin = { area_id: 'IDNP6', contact_name: 'Bench', contact_phone: '+6281234567890', address: 'Jl. Sudirman 1' };
export const webhookSecret = 'whsec_bench';

/** By the organization. */
const shops = new Map<string, Promise<Shop>>();

/** A shop of 1,000 variants with its accounts, made at the first call: the same rows on both sides. */
export function shopOf(side: Side): Promise<Shop> {
  const { organizationId } = side.tenant;
  const shop = shops.get(organizationId) ?? open(side);
  shops.set(organizationId, shop);
  return shop;
}

/** Secrets lie open on the floor's side. */
export const sealerOf = ({ env, product }: Side) =>
  product === 'kanal'
    ? createSecrets({ secretKey: env.SECRET_KEY!, hashKey: env.HASH_KEY! }).seal
    : (text: string): string => text;

async function open(side: Side): Promise<Shop> {
  const { sql, tenant } = side;
  const { organizationId } = tenant;
  const seal = sealerOf(side);
  const [productId, methodId, serviceId, staffId] = [uuidv7(), uuidv7(), uuidv7(), uuidv7()];
  const variantIds = Array.from({ length: variants }, () => uuidv7());
  const connect = async (provider: keyof typeof credentials, kind: string) => {
    const id = uuidv7();
    await sql.query(
      `insert into connections (organization_id, id, kind, provider, name, credentials, webhook_secret, is_default)
       values ($1, $2, $3, $4, $4, $5, $6, true)`,
      [organizationId, id, kind, provider, seal(JSON.stringify(credentials[provider])), seal(webhookSecret)],
    );
    // The pace of an account is off, as that of a channel.
    await sql.query('insert into pools (organization_id, id, width, rate) values ($1, $2, 1000000, null)', [
      organizationId,
      connectionPool(id),
    ]);
    return id;
  };
  const paymentId = await connect('stripe', 'payment');
  const calendarId = await connect('google', 'calendar');
  const shipperId = await connect('biteship', 'shipper');
  await sql.query(
    `insert into commerce_settings (organization_id, store_name, order_no_prefix, shipping_origin) values ($1, 'Bench', 'B-', $2)`,
    [organizationId, origin],
  );
  await sql.query(
    `insert into products (organization_id, id, name, slug, kind) values ($1, $2, 'Green tea', 'tea', 'physical')`,
    [organizationId, productId],
  );
  await sql.query(
    `insert into services (organization_id, id, name, duration_minutes, location) values ($1, $2, 'Tasting', 30, '1 Main St')`,
    [organizationId, serviceId],
  );
  await sql.query(
    `insert into staff (organization_id, id, name, timezone, calendar_connection_id, calendar_id)
     values ($1, $2, 'Grace', 'UTC', $3, 'primary')`,
    [organizationId, staffId, calendarId],
  );
  await sql.query(
    `insert into product_variants (organization_id, id, product_id, sku, name, tracks_stock, on_hand)
     select $1, x.v, $2, 'TEA-' || x.n, x.n || ' g', true, $3 from unnest($4::uuid[]) with ordinality as x(v, n)`,
    [organizationId, productId, onHand, variantIds],
  );
  await sql.query(
    `insert into variant_prices (organization_id, variant_id, currency, amount)
     select $1, x.v, 'USD', 500 + x.n from unnest($2::uuid[]) with ordinality as x(v, n)`,
    [organizationId, variantIds],
  );
  await sql.query(
    `insert into delivery_methods (organization_id, id, name, kind, currency, fee_amount)
     values ($1, $2, 'Courier', 'flat', 'USD', 500)`,
    [organizationId, methodId],
  );
  await sql.query('analyze');
  return { variantIds, methodId, serviceId, staffId, paymentId, calendarId, shipperId };
}
