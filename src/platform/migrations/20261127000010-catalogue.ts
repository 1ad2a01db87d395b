import { Migration } from '@mikro-orm/migrations';
import { manyRowsEach, organization, tenant, times } from './columns.ts';

/** What a shop sells and how it delivers: categories, products, variants with their stock, discounts, delivery methods, quotes, settings. */
export class Catalogue extends Migration {
  override name = '20261127000010-catalogue';

  override up() {
    for (const statement of up) this.addSql(statement);
  }

  override down() {
    for (const statement of down) this.addSql(statement);
  }
}

/** Whole minor units, as many as a JSON number holds exactly. */
const amount = (name: string, more = 'not null') => `${name} bigint ${more} check (${name} between 0 and 9007199254740991)`;

const up = [
  `create table commerce_settings (
     organization_id uuid not null primary key references organizations (id),
     store_name text not null default '',
     store_slug text not null default '',
     currency text not null default 'USD',
     timezone text not null default 'UTC',
     order_no_prefix text not null default '',
     reservation_minutes int not null default 30,
     confirm_on text not null default 'payment' check (confirm_on in ('payment', 'manual')),
     shipping_origin jsonb,
     ${times})`,

  `create table commerce_categories (
     ${tenant},
     name text not null,
     slug text not null,
     parent_id uuid,
     active boolean not null,
     sort_order int not null default 0,
     ${times},
     constraint commerce_categories_slug unique (organization_id, slug),
     constraint commerce_categories_parent foreign key (organization_id, parent_id) references commerce_categories (organization_id, id))`,
  'create index commerce_categories_children on commerce_categories (organization_id, parent_id, sort_order, id)',
  'create index commerce_categories_list on commerce_categories (organization_id, created_at, id)',

  `create table products (
     ${tenant},
     name text not null,
     slug text not null,
     description text not null default '',
     kind text not null check (kind in ('physical', 'digital', 'service')),
     active boolean not null default true,
     images uuid[] not null default '{}',
     metadata jsonb not null default '{}',
     search text not null generated always as (' ' || searchable(name)) stored,
     ${times},
     constraint products_slug unique (organization_id, slug))`,
  'create index products_list on products (organization_id, created_at, id)',
  'create index products_search on products using gin (organization_id, search gin_trgm_ops)',

  `create table product_categories (
     ${organization},
     product_id uuid not null,
     category_id uuid not null,
     constraint product_categories_pkey primary key (organization_id, product_id, category_id),
     foreign key (organization_id, product_id) references products (organization_id, id) on delete cascade,
     foreign key (organization_id, category_id) references commerce_categories (organization_id, id) on delete cascade)`,
  'create index product_categories_category on product_categories (organization_id, category_id, product_id)',

  // reserved: of live orders. Sold pieces leave both.
  `create table product_variants (
     ${tenant},
     product_id uuid not null,
     sku text not null,
     name text not null,
     active boolean not null default true,
     position int not null default 0,
     weight_grams int,
     tracks_stock boolean not null default false,
     on_hand bigint not null default 0,
     reserved bigint not null default 0,
     service_id uuid,
     prepaid_deliveries int,
     ${times},
     constraint product_variants_sku unique (organization_id, sku),
     constraint product_variants_stock check (reserved between 0 and on_hand),
     foreign key (organization_id, product_id) references products (organization_id, id) on delete cascade)`,
  'create index product_variants_product on product_variants (organization_id, product_id, position, id)',

  `create table variant_prices (
     ${organization},
     variant_id uuid not null,
     currency text not null,
     ${amount('amount')},
     constraint variant_prices_pkey primary key (organization_id, variant_id, currency),
     foreign key (organization_id, variant_id) references product_variants (organization_id, id) on delete cascade)`,

  // A unit of work happens once for each item and kind; an adjustment by hand has no item, and alone a sign.
  `create table stock_movements (
     ${tenant},
     variant_id uuid not null,
     kind text not null check (kind in ('reserve', 'release', 'commit', 'restock', 'adjust')),
     quantity bigint not null,
     order_id uuid,
     order_item_id uuid,
     reason text not null default '',
     actor text not null default '',
     created_at timestamptz not null default clock_timestamp(),
     constraint stock_movements_once unique (organization_id, order_item_id, kind),
     foreign key (organization_id, variant_id) references product_variants (organization_id, id) on delete cascade)`,
  'create index stock_movements_list on stock_movements (organization_id, variant_id, created_at, id)',

  // value: basis points of a percentage, an amount of a fixed one.
  `create table discounts (
     ${tenant},
     code text not null,
     kind text not null check (kind in ('percent', 'fixed', 'free_delivery')),
     ${amount('value')},
     currency text,
     starts_at timestamptz,
     ends_at timestamptz,
     ${amount('min_subtotal', 'not null default 0')},
     max_uses int,
     max_uses_per_contact int,
     uses int not null default 0,
     active boolean not null default true,
     ${times},
     check (uses >= 0 and (max_uses is null or uses <= max_uses)))`,
  'create unique index discounts_code on discounts (organization_id, upper(code))',
  'create index discounts_list on discounts (organization_id, created_at, id)',

  `create table delivery_methods (
     ${tenant},
     name text not null,
     kind text not null check (kind in ('pickup', 'flat', 'live', 'none')),
     currency text,
     ${amount('fee_amount', 'not null default 0')},
     ${amount('free_from_amount', '')},
     lead_days int not null default 0,
     active boolean not null default true,
     connection_id uuid,
     ${times},
     foreign key (organization_id, connection_id) references connections (organization_id, id))`,
  'create index delivery_methods_list on delivery_methods (organization_id, created_at, id)',

  // weekdays: ISO, Monday is 1. capacity: orders a day; null, without a bound.
  `create table delivery_timeslots (
     ${tenant},
     method_id uuid not null,
     label text not null,
     weekdays int[] not null,
     capacity int,
     position int not null default 0,
     constraint delivery_timeslots_label unique (organization_id, method_id, label),
     foreign key (organization_id, method_id) references delivery_methods (organization_id, id) on delete cascade)`,

  `create table slot_usage (
     ${organization},
     timeslot_id uuid not null,
     day date not null,
     used int not null default 0 check (used >= 0),
     constraint slot_usage_pkey primary key (organization_id, timeslot_id, day),
     foreign key (organization_id, timeslot_id) references delivery_timeslots (organization_id, id) on delete cascade)`,

  // rates: as the shipper said, each with an id of ours. items: variants and quantities it was asked for.
  `create table quotes (
     ${tenant},
     connection_id uuid not null,
     status text not null default 'pending' check (status in ('pending', 'ready', 'failed')),
     destination jsonb not null,
     items jsonb not null,
     rates jsonb not null default '[]',
     failure jsonb,
     expires_at timestamptz not null,
     created_at timestamptz not null default clock_timestamp(),
     foreign key (organization_id, connection_id) references connections (organization_id, id))`,
  'create index quotes_age on quotes (created_at)',

  ...manyRowsEach(
    'commerce_categories',
    'products',
    'product_categories',
    'product_variants',
    'variant_prices',
    'stock_movements',
    'discounts',
    'delivery_methods',
    'delivery_timeslots',
    'slot_usage',
    'quotes',
  ),
];

const down = [
  'quotes',
  'slot_usage',
  'delivery_timeslots',
  'delivery_methods',
  'discounts',
  'stock_movements',
  'variant_prices',
  'product_variants',
  'product_categories',
  'products',
  'commerce_categories',
  'commerce_settings',
].map((table) => `drop table ${table}`);
