/** Sessions, payments and refunds of the orders that are there. */
export const paymentRows = (): string[] => [
  `insert into payment_sessions (id, organization_id, order_id, connection_id, provider, reference_id, status, amount, currency,
                                 provider_session_id, expires_at, created_at)
   select uuidv7(), s.organization_id, s.order_id, s.connection_id, 'stripe', s.shipper_order_id, 'completed', 100, 'IDR',
          'cs_' || s.shipper_order_id, s.created_at, s.created_at
     from shipments s`,
  `insert into payments (id, organization_id, order_id, session_id, connection_id, provider_payment_id, amount, currency, created_at)
   select uuidv7(), organization_id, order_id, id, connection_id, 'pi_' || reference_id, amount, currency, created_at
     from payment_sessions`,
  `insert into refunds (id, organization_id, order_id, payment_id, connection_id, status, amount, currency, created_at)
   select uuidv7(), organization_id, order_id, id, connection_id, 'succeeded', 10, currency, created_at
     from payments`,
];

/** Drafts and lines of timelines; the orders are those of the shipments. */
export const orderRows = (own: string, contactId: string): string[] => [
  `insert into draft_orders (id, organization_id, contact_id, content, created_at, updated_at)
   select uuidv7(), '${own}', case when n % 500 = 0 then '${contactId}'::uuid end, '{}', clock_timestamp() - n * interval '1 min',
          clock_timestamp() - n * interval '1 hour'
     from generate_series(1, 3000) n`,
  `update orders set customer_name = md5(order_no)`,
  `insert into order_changes (id, organization_id, order_id, kind)
   select uuidv7(), organization_id, id, 'created'
     from orders`,
];

/** A few thousand shipments, each of an order of its own, and the quotes of a few days. */
export const shippingRows = (own: string, orderId: string): string[] => [
  `insert into connections (id, organization_id, kind, provider, name, credentials)
   select uuidv7(), '${own}', 'shipper', 'biteship', 'Shipper ' || n, ''
     from generate_series(1, 20) n`,
  `insert into orders (id, organization_id, order_no, currency, delivery_fee_amount, discount_amount, subtotal_amount, total_amount, created_at)
   select case when n = 1 then '${orderId}'::uuid else uuidv7() end, '${own}', 'X-' || n, 'IDR', 0, 0, 0, 0, clock_timestamp() - n * interval '1 min'
     from generate_series(1, 20000) n`,
  `insert into shipments (id, organization_id, order_id, connection_id, status, courier_code, courier_service_code, shipper_order_id, created_at)
   select uuidv7(), o.organization_id, o.id, c.id, 'delivered', 'jne', 'reg', o.order_no, o.created_at
     from orders o,
          lateral (select id from connections where organization_id = o.organization_id and o.id is not null order by random() limit 1) c`,
  `insert into quotes (id, organization_id, connection_id, destination, items, expires_at, created_at)
   select uuidv7(), o.organization_id, c.id, '{}', '[]', o.created_at, o.created_at - random() * interval '3 days'
     from orders o,
          lateral (select id from connections where organization_id = o.organization_id and o.id is not null order by random() limit 1) c`,
];

/** A few thousand of all that a shop offers, in some categories, with stock that has moved. */
export const catalogueRows = (own: string): string[] => [
  `insert into commerce_categories (id, organization_id, name, slug, active, created_at)
   select uuidv7(), '${own}', 'C' || n, 'c-' || n, true, clock_timestamp() - n * interval '1 min'
     from generate_series(1, 3000) n`,
  `update commerce_categories c
      set parent_id = (select id from commerce_categories p where p.slug = 'c-' || (substr(c.slug, 3)::int / 10))
    where c.slug <> 'c-1' and length(c.slug) = 6`,
  `insert into products (id, organization_id, name, slug, kind, created_at)
   select uuidv7(), '${own}', md5(n::text), 'p-' || n, 'physical', clock_timestamp() - n * interval '1 min'
     from generate_series(1, 20000) n`,
  `insert into product_categories (organization_id, product_id, category_id)
   select p.organization_id, p.id, c.id
     from products p
     join commerce_categories c on substr(c.slug, 3) = substr(p.slug, 3)`,
  `insert into product_variants (id, organization_id, product_id, sku, name)
   select uuidv7(), p.organization_id, p.id, p.slug || '-' || n, ''
     from products p, generate_series(1, 1) n`,
  `insert into stock_movements (id, organization_id, variant_id, kind, quantity, created_at)
   select uuidv7(), v.organization_id, v.id, 'adjust', 1, clock_timestamp() - n * interval '1 min'
     from product_variants v, generate_series(1, 1) n`,
  `insert into discounts (id, organization_id, code, kind, value, created_at)
   select uuidv7(), '${own}', 'D' || n, 'percent', 100, clock_timestamp() - n * interval '1 min'
     from generate_series(1, 3000) n`,
  `insert into delivery_methods (id, organization_id, name, kind, created_at)
   select uuidv7(), '${own}', 'M' || n, 'flat', clock_timestamp() - n * interval '1 min'
     from generate_series(1, 3000) n`,
];

/** A discount for each order. */
export const discountRows = (contactId: string): string[] => [
  `insert into discount_uses (organization_id, discount_id, order_id, contact_id)
   select o.organization_id, d.id, o.id, case when o.n % 500 = 0 then '${contactId}'::uuid end
     from (select organization_id, id, row_number() over () as n from orders) o
     join (select id, row_number() over (order by id) as n from discounts) d on d.n = o.n % 3000 + 1`,
];

/** A booking of each order: two in a hundred are of one person, one service and one contact. */
export const bookingRows = (own: string, { otherId, contactId }: Record<'otherId' | 'contactId', string>): string[] => [
  `insert into services (id, organization_id, name, duration_minutes, created_at)
   select case n when 1 then '${otherId}'::uuid else uuidv7() end, '${own}', 'S' || n, 30, clock_timestamp() - n * interval '1 min'
     from generate_series(1, 1000) n`,
  `insert into services (id, organization_id, name, duration_minutes) values (uuidv7(), '${own}', 'Nobody books it', 30)`,
  `insert into staff (id, organization_id, name, timezone, created_at)
   select case n when 1 then '${otherId}'::uuid else uuidv7() end, '${own}', 'P' || n, 'UTC', clock_timestamp() - n * interval '1 min'
     from generate_series(1, 1000) n`,
  `insert into service_staff (organization_id, service_id, staff_id, position)
   select s.organization_id, s.id, p.id, 0
     from (select organization_id, id, row_number() over (order by id) as n from services) s
     join (select id, row_number() over (order by id) as n from staff) p on p.n = s.n`,
  `insert into bookings (id, organization_id, order_id, service_id, staff_id, contact_id, status, starts_at, ends_at, during, timezone)
   select uuidv7(), o.organization_id, o.id,
          case when o.n % 50 = 0 then '${otherId}'::uuid else s.id end,
          case when o.n % 50 = 0 then '${otherId}'::uuid else p.id end,
          case when o.n % 50 = 0 then '${contactId}'::uuid end,
          case when o.n % 50 = 0 then 'no_show' else 'confirmed' end,
          o.at, o.at + interval '30 min', tstzrange(o.at, o.at + interval '30 min'), 'UTC'
     from (select organization_id, id, row_number() over () as n, now() + row_number() over () * interval '1 hour' as at from orders) o
     join (select id, row_number() over (order by id) as n from services where name <> 'Nobody books it') s on s.n = o.n % 1000 + 1
     join (select id, row_number() over (order by id) as n from staff) p on p.n = o.n % 1000 + 1`,
];
