import { Migration } from '@mikro-orm/migrations';
import { manyRowsEach, organization, person, tenant, times } from './columns.ts';

/** Draft orders, orders with their items, what was paid and given back, and what is on its way. */
export class Orders extends Migration {
  override name = '20261127000020-orders';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

/** Whole minor units, as many as a JSON number holds exactly. */
const amount = (name: string, more = 'not null') => `${name} bigint ${more} check (${name} between 0 and 9007199254740991)`;

/** One that an erased or a missing person leaves behind. */
const orNobody = `contact_id uuid,
     foreign key (organization_id, contact_id) references contacts (organization_id, id) on delete set null (contact_id)`;

const ofOrder = `order_id uuid not null,
     foreign key (organization_id, order_id) references orders (organization_id, id) on delete cascade`;

/** Written before its order, which comes last with its number: everybody waits for the row that counts them. */
const ofNewOrder = `${ofOrder} deferrable initially deferred`;

const up = [
  // content: the body that a conversion turns into an order, as POST /v1/commerce/orders takes it.
  `create table draft_orders (
     ${tenant},
     ${person.replace('contact_id uuid not null', 'contact_id uuid')},
     content jsonb not null,
     order_id uuid,
     revision int not null default 1,
     ${times})`,
  'create index draft_orders_list on draft_orders (organization_id, created_at, id)',
  'create index draft_orders_contact on draft_orders (organization_id, contact_id)',
  'create index draft_orders_age on draft_orders (updated_at)',

  // checkout_token: sealed; its hash finds the order. stock: what became of what was reserved. rate: chosen from a quote.
  `create table orders (
     ${tenant},
     order_no text not null,
     draft_order_id uuid,
     ${orNobody},
     status text not null default 'pending' check (status in ('pending', 'confirmed', 'processing', 'shipped', 'completed', 'cancelled')),
     payment_status text not null default 'unpaid'
       check (payment_status in ('unpaid', 'pending', 'paid', 'partially_refunded', 'refunded', 'failed', 'expired')),
     fulfillment_status text not null default 'unfulfilled'
       check (fulfillment_status in ('unfulfilled', 'requested', 'shipped', 'delivered', 'returned', 'failed')),
     stock text not null default 'reserved' check (stock in ('reserved', 'committed', 'released')),
     customer_name text not null default '',
     customer_email text not null default '',
     customer_phone text not null default '',
     checkout_uploads uuid[],
     delivery_date date,
     delivery_timeslot text not null default '',
     delivery_timeslot_id uuid,
     delivery_method text not null default '',
     delivery_method_id uuid,
     delivery_kind text not null default 'none' check (delivery_kind in ('pickup', 'flat', 'live', 'none')),
     currency text not null,
     ${amount('delivery_fee_amount')},
     ${amount('discount_amount')},
     ${amount('subtotal_amount')},
     ${amount('total_amount')},
     ${amount('paid_amount', 'not null default 0')},
     ${amount('refunded_amount', 'not null default 0')},
     discount_id uuid,
     discount_code text not null default '',
     payment_method text not null default '',
     referral_code text not null default '',
     notes text not null default '',
     fulfillment_notes text not null default '',
     fulfillment_carrier text not null default '',
     tracking_number text not null default '',
     tracking_url text not null default '',
     source_reference text,
     shipping_address jsonb,
     quote_id uuid,
     rate jsonb,
     prepaid_deliveries_total int,
     prepaid_deliveries_remaining int,
     attention text[] not null default '{}',
     reserved_until timestamptz,
     checkout_token text,
     checkout_token_hash text,
     cancel_reason text not null default '',
     confirmed_at timestamptz,
     shipped_at timestamptz,
     completed_at timestamptz,
     cancelled_at timestamptz,
     revision int not null default 1,
     search text not null generated always as (
       ' ' || searchable(order_no || ' ' || customer_name || ' ' || customer_phone || ' ' || customer_email)) stored,
     ${times},
     constraint orders_no unique (organization_id, order_no),
     constraint orders_draft unique (organization_id, draft_order_id),
     constraint orders_source_reference unique (organization_id, source_reference),
     constraint orders_checkout_token unique (organization_id, checkout_token_hash),
     constraint orders_total check (total_amount = subtotal_amount - discount_amount + delivery_fee_amount),
     check (discount_amount <= subtotal_amount),
     check (prepaid_deliveries_remaining between 0 and prepaid_deliveries_total))`,
  'create index orders_list on orders (organization_id, created_at, id)',
  'create index orders_status on orders (organization_id, status, created_at, id)',
  'create index orders_payment_status on orders (organization_id, payment_status, created_at, id)',
  'create index orders_fulfillment_status on orders (organization_id, fulfillment_status, created_at, id)',
  'create index orders_contact on orders (organization_id, contact_id, created_at, id)',
  `create index orders_delivery_date on orders (organization_id, (coalesce(delivery_date, 'infinity'::date)), id)`,
  `create index orders_attention on orders (organization_id, created_at, id) where attention <> '{}'`,
  'create index orders_search on orders using gin (organization_id, search gin_trgm_ops)',

  `create table order_items (
     ${tenant},
     ${ofOrder},
     position int not null,
     product_id uuid,
     variant_id uuid,
     service_id uuid,
     sku text not null,
     name text not null,
     quantity int not null check (quantity between 1 and 10000),
     ${amount('unit_amount')},
     ${amount('discount_amount')},
     ${amount('total_amount')},
     tracks_stock boolean not null,
     is_shipped boolean not null,
     weight_grams int,
     check (total_amount = unit_amount * quantity - discount_amount),
     constraint order_items_position unique (organization_id, order_id, position),
     foreign key (organization_id, variant_id) references product_variants (organization_id, id) on delete set null (variant_id))`,
  'create index order_items_variant on order_items (organization_id, variant_id)',

  `create table order_counters (
     organization_id uuid not null primary key references organizations (id),
     last_no bigint not null)`,

  `create table order_changes (
     ${tenant},
     ${ofOrder},
     kind text not null,
     actor text not null default '',
     data jsonb not null default '{}',
     created_at timestamptz not null default clock_timestamp())`,
  'create index order_changes_order on order_changes (organization_id, order_id, created_at, id)',

  `create table discount_uses (
     ${organization},
     discount_id uuid not null,
     ${ofNewOrder},
     ${orNobody},
     constraint discount_uses_pkey primary key (organization_id, discount_id, order_id),
     foreign key (organization_id, discount_id) references discounts (organization_id, id) on delete cascade)`,
  'create index discount_uses_order on discount_uses (organization_id, order_id)',
  'create index discount_uses_contact on discount_uses (organization_id, contact_id, discount_id)',

  // reference_id: ours, at the provider. One live session an order; one whose outcome is unknown stays matchable, and one that is not
  // wanted any more is about to be ended there.
  `create table payment_sessions (
     ${tenant},
     ${ofOrder},
     connection_id uuid not null,
     provider text not null,
     reference_id text not null,
     status text not null default 'creating' check (status in ('creating', 'open', 'completed', 'expired', 'cancelled', 'failed', 'unknown')),
     is_unwanted boolean not null default false,
     ${amount('amount')},
     currency text not null,
     provider_session_id text,
     payment_method text not null default '',
     checkout_url text not null default '',
     success_url text not null default '',
     cancel_url text not null default '',
     expires_at timestamptz not null,
     asked_at timestamptz,
     checked_at timestamptz,
     checks int not null default 0,
     failure jsonb,
     ${times},
     constraint payment_sessions_reference unique (organization_id, reference_id),
     foreign key (organization_id, connection_id) references connections (organization_id, id))`,
  `create unique index payment_sessions_live on payment_sessions (organization_id, order_id)
     where status in ('creating', 'open') and not is_unwanted`,
  'create index payment_sessions_order on payment_sessions (organization_id, order_id, created_at, id)',
  'create index payment_sessions_provider on payment_sessions (organization_id, connection_id, provider_session_id)',

  // Recorded ones (cash, transfer) have no connection.
  `create table payments (
     ${tenant},
     ${ofOrder},
     session_id uuid,
     connection_id uuid,
     provider_payment_id text,
     method text not null default '',
     ${amount('amount')},
     currency text not null,
     note text not null default '',
     actor text not null default '',
     received_at timestamptz not null default clock_timestamp(),
     ${times},
     constraint payments_provider unique (organization_id, connection_id, provider_payment_id),
     check ((connection_id is null) = (provider_payment_id is null)),
     foreign key (organization_id, session_id) references payment_sessions (organization_id, id),
     foreign key (organization_id, connection_id) references connections (organization_id, id))`,
  'create index payments_order on payments (organization_id, order_id, created_at, id)',

  `create table refunds (
     ${tenant},
     ${ofOrder},
     payment_id uuid not null,
     connection_id uuid,
     status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
     ${amount('amount')},
     currency text not null,
     reason text not null default '',
     provider_refund_id text,
     asked_at timestamptz,
     failure jsonb,
     actor text not null default '',
     ${times},
     foreign key (organization_id, payment_id) references payments (organization_id, id),
     foreign key (organization_id, connection_id) references connections (organization_id, id))`,
  'create index refunds_order on refunds (organization_id, order_id, created_at, id)',
  'create index refunds_payment on refunds (organization_id, payment_id)',

  // Its id is our reference at the shipper. provider_status: one of the shipper's fourteen.
  `create table shipments (
     ${tenant},
     ${ofOrder},
     connection_id uuid not null,
     status text not null default 'creating' check (status in ('creating', 'confirmed', 'cancelling', 'cancelled', 'failed', 'delivered', 'returned')),
     provider_status text not null default '',
     shipper_order_id text,
     shipper_draft_order_id text,
     courier_code text not null,
     courier_service_code text not null,
     destination_area_id text not null default '',
     shipper_price_idr bigint,
     tracking_number text not null default '',
     tracking_url text not null default '',
     confirm_status text not null default 'pending' check (confirm_status in ('pending', 'confirmed', 'failed')),
     confirm_error text not null default '',
     last_webhook_event text not null default '',
     last_webhook_status text not null default '',
     asked_at timestamptz,
     checked_at timestamptz,
     failure jsonb,
     actor text not null default '',
     ${times},
     foreign key (organization_id, connection_id) references connections (organization_id, id))`,
  `create unique index shipments_live on shipments (organization_id, order_id) where status in ('creating', 'confirmed', 'cancelling')`,
  'create index shipments_order on shipments (organization_id, order_id, created_at, id)',
  'create index shipments_provider on shipments (organization_id, connection_id, shipper_order_id)',

  ...manyRowsEach(
    'draft_orders',
    'orders',
    'order_items',
    'order_changes',
    'discount_uses',
    'payment_sessions',
    'payments',
    'refunds',
    'shipments',
  ),
];

const down = [
  'shipments',
  'refunds',
  'payments',
  'payment_sessions',
  'discount_uses',
  'order_changes',
  'order_counters',
  'order_items',
  'orders',
  'draft_orders',
].map((table) => `drop table ${table}`);
