import { anyOf, idOf, organizations, word } from '../fill-sql.ts';
import { bookedHours, firstHour, serviceOf, staffOf, staffOfService, staffZone, variantOf, variants } from './shop-rows.ts';

/** Each in the month from tomorrow on. */
const bookingsOfOne = 200;
const days = 31;

export type Sizes = { orders: number; contacts: number; bookings: number; staff: number; past: number };

/** Ten orders a contact, one booking in ten orders: `past` of them over, by who does the first service, the others in the month to come. */
export function sizesOf(orders: number): Sizes {
  const bookings = Math.floor(orders / 10);
  const staff = Math.max(staffOfService, Math.floor((bookings * 0.9) / bookingsOfOne));
  const past = Math.max(0, bookings - staff * bookingsOfOne);
  return { orders, contacts: Math.ceil(orders / 10), bookings, staff, past };
}

const years = 2;
const firstNames = ['Budi', 'Maria', 'Anna', 'Dewi', 'Omar', 'Priya', 'Linh', 'John', 'Siti', 'Agus'];
export const commonName = firstNames[0]!;
/** Of one contact. */
export const rareName = word('n * 83');
export const domain = 'example.com';
const cancelled = 'n % 100 in (3, 13, 33, 43, 53, 63, 83, 90)';
const isPaid = `payment_status in ('paid', 'refunded', 'partially_refunded')`;
/** The others were paid in cash. */
const hadSession = `(${isPaid} and n % 5 <> 4 or payment_status in ('expired', 'failed'))`;

/** A line `p` of the order `n`; a booking is the first one. */
const quantity = 'case when n % 10 = 0 and p = 0 then 1 else 1 + (n + p) % 3 end';
const unit = '((1 + (n * 7 + p * 13) % 400) * 100000)';
const lines = 'generate_series(0, n % 3) p';

/**
 * What the rows of all tables are made of, of so many orders of each organization, in two years up to now: most are completed, the newest are
 * under way, one in twelve is cancelled.
 */
export const orders = ({ orders: count, contacts, past }: Sizes) => [
  `create unlogged table bench_contacts as
   select o, n, uuidv7() as id, ${anyOf(firstNames, 'n')} as first_name, ${word('n')} as last_name, '+62812' || lpad(n::text, 8, '0') as phone
     from ${organizations}, generate_series(1, ${contacts}) n`,
  'analyze bench_contacts',
  `create unlogged table bench_orders as
   select x.*, c.id as contact_id, c.first_name || ' ' || c.last_name as customer, c.phone,
          lower(c.last_name) || c.n || '@${domain}' as email
     from (
       select o, n, uuidv7(ago) as id, now() + ago as at, status, subtotal, case when n % 10 = 0 then 0 else 1500000 end as fee,
              1 + (n + n / ${contacts}) % ${contacts} as person,
              case status
                   when 'pending' then (array['unpaid', 'unpaid', 'failed', 'pending'])[1 + n / 8 % 4]
                   when 'cancelled' then case when n % 100 in (83, 90) then 'refunded' else 'expired' end
                   when 'completed' then case n % 50 when 7 then 'refunded' when 8 then 'partially_refunded' else 'paid' end
                   else 'paid' end as payment_status
         from ${organizations}, generate_series(1, ${count}) n,
              lateral (select (n - ${count}) * (interval '${years} years' / ${count}) as ago,
                              (select sum(${unit}::bigint * (${quantity}))::bigint from ${lines}) as subtotal,
                              case when ${cancelled} then 'cancelled'
                                   when n % 10 = 0 and n / 10 > ${past} then case when n % 40 = 0 then 'pending' else 'confirmed' end
                                   when n > 0.96 * ${count} and n % 8 < 6
                                   then (array['pending', 'pending', 'confirmed', 'processing', 'shipped', 'shipped'])[1 + n % 8]
                                   else 'completed' end as status) y) x
     join bench_contacts c on c.o = x.o and c.n = x.person
    order by x.o, x.n`,
  'analyze bench_orders',
];

const address = `{"address": "Jl. Merdeka 17", "city": "Bandung", "district": "Sumur Bandung", "province": "Jawa Barat", "area_id": "IDNP9IDNC22"}`;

/** Statements that may run beside each other. `$1`: a sealed token. */
export const tables = ({ past, staff }: Sizes): string[] => [
  `insert into orders (id, organization_id, order_no, contact_id, status, payment_status, fulfillment_status, stock, customer_name,
          customer_email, customer_phone, delivery_date, delivery_timeslot, delivery_method, delivery_method_id, delivery_kind, currency,
          delivery_fee_amount, discount_amount, subtotal_amount, total_amount, paid_amount, refunded_amount, payment_method, notes,
          tracking_number, source_reference, shipping_address, attention, checkout_token, checkout_token_hash, confirmed_at, shipped_at,
          completed_at, cancelled_at, created_at, updated_at)
   select id, o, 'B-' || lpad(n::text, greatest(6, length(n::text)), '0'), contact_id, status, payment_status,
          case status when 'shipped' then 'shipped' when 'completed' then case when n % 100 = 7 then 'returned' else 'delivered' end
               else 'unfulfilled' end,
          case status when 'pending' then 'reserved' when 'cancelled' then 'released' else 'committed' end, customer, email, phone,
          case when n % 3 > 0 then at::date + 2 end, case when n % 3 > 0 then 'Morning' else '' end, case when kind <> 'none' then kind else '' end,
          case kind when 'live' then ${idOf('live')} when 'flat' then ${idOf('flat')} when 'pickup' then ${idOf('pickup')} end, kind, 'IDR',
          fee, 0, subtotal, subtotal + fee, case when ${isPaid} then subtotal + fee when payment_status = 'pending' then 50000 else 0 end,
          case payment_status when 'refunded' then subtotal + fee when 'partially_refunded' then 100000 else 0 end,
          case when n % 5 = 4 then 'cash' else 'card' end, case when n % 6 = 0 then 'Please ring twice, the bell is quiet' else '' end,
          case when kind = 'live' and status = 'completed' then 'JNE' || n else '' end, case when n % 4 = 0 then 'web-' || n end,
          case when kind in ('live', 'flat') then '${address}'::jsonb end,
          case when n % 500 = 3 then '{price_changed}'::text[] else '{}' end, $1, encode(sha256(id::text::bytea), 'hex'),
          case when status <> 'pending' then at + interval '5 min' end,
          case when status in ('shipped', 'completed') then at + interval '1 day' end,
          case when status = 'completed' then at + interval '3 days' end, case when status = 'cancelled' then at + interval '1 hour' end,
          at, at + interval '1 hour'
     from (select *, case when n % 10 = 0 then 'none' when n % 2 = 1 then 'live' when n % 4 = 0 then 'flat' else 'pickup' end as kind
             from bench_orders) b`,
  `insert into order_items (id, organization_id, order_id, position, product_id, variant_id, service_id, sku, name, quantity, unit_amount,
          discount_amount, total_amount, tracks_stock, is_shipped, weight_grams)
   select uuidv7(at - now()), o, id, p,
          case when is_booked then ${idOf('service')} else ${idOf('physical')} end,
          case when is_booked then ${idOf('fitting')} else ${variantOf(`(n + p) % ${variants}`)} end,
          case when is_booked then ${serviceOf('0')} end, case when is_booked then 'FIT' else 'SKU-' || (n + p) % ${variants} end,
          case when is_booked then 'Fitting' else ${anyOf(['Shirt', 'Scarf', 'Dress', 'Bag'], 'n + p')} end, ${quantity}, ${unit}, 0,
          ${unit}::bigint * (${quantity}), false, not is_booked, case when not is_booked then 300 end
     from bench_orders, ${lines}, lateral (select n % 10 = 0 and p = 0 as is_booked) y`,
  `with s as (
     insert into payment_sessions (id, organization_id, order_id, connection_id, provider, reference_id, status, amount, currency,
            provider_session_id, payment_method, checkout_url, expires_at, asked_at, checked_at, created_at, updated_at)
     select uuidv7(at - now()), o, id, ${idOf('payment')}, 'stripe', 'ks_' || replace(id::text, '-', ''),
            case when ${isPaid} then 'completed' else payment_status end, subtotal + fee, 'IDR', 'cs_live_' || md5(id::text), 'card',
            'https://checkout.example.com/c/pay/' || md5(id::text), at + interval '1 day', at, at + interval '5 min', at, at + interval '5 min'
       from bench_orders
      where ${hadSession}
     returning id, organization_id, order_id, connection_id, status, amount, currency, created_at)
   insert into payments (id, organization_id, order_id, session_id, connection_id, provider_payment_id, method, amount, currency,
          received_at, created_at, updated_at)
   select uuidv7(created_at - now()), organization_id, order_id, id, connection_id, 'pi_' || md5(id::text), 'card', amount, currency,
          created_at, created_at, created_at
     from s
    where status = 'completed'`,
  `insert into payments (id, organization_id, order_id, method, amount, currency, received_at, created_at, updated_at)
   select uuidv7(at - now()), o, id, 'cash', case when payment_status = 'pending' then 50000 else subtotal + fee end, 'IDR', at, at, at
     from bench_orders
    where ${isPaid} and n % 5 = 4 or payment_status = 'pending'`,
  `insert into shipments (id, organization_id, order_id, connection_id, status, provider_status, shipper_order_id, courier_code,
          courier_service_code, destination_area_id, shipper_price_idr, tracking_number, tracking_url, confirm_status, last_webhook_event,
          last_webhook_status, asked_at, checked_at, created_at, updated_at)
   select uuidv7(at - now()), o, id, ${idOf('shipper')}, status, status, md5(id::text), 'jne', 'reg', 'IDNP9IDNC22', 15000, 'JNE' || n,
          'https://track.example.com/JNE' || n, 'confirmed', 'order.status', status, at, at, at, at + interval '3 days'
     from (select o, n, id, at, case when n % 100 = 7 then 'returned' else 'delivered' end as status
             from bench_orders
            where status = 'completed' and n % 2 = 1) b`,
  `with b as (
     insert into bookings (id, organization_id, order_id, service_id, staff_id, contact_id, status, mode, source, starts_at, ends_at, during,
            timezone, conference, created_at, updated_at)
     select uuidv7(at - now()), o, id, ${serviceOf(`s / ${staffOfService}`)}, ${staffOf('s')}, contact_id,
            case status when 'cancelled' then 'cancelled' when 'pending' then 'held' when 'confirmed' then 'confirmed' else 'completed' end,
            'in_person', 'checkout', start, start + interval '45 min', tstzrange(start, start + interval '1 hour'), '${staffZone}', '', at, at
       from bench_orders,
            lateral (select (n / 10 - 1) as b, (n / 10 - 1 - ${past}) as m) y,
            lateral (select case when m < 0 then b % ${staffOfService} else m % ${staff} end as s,
                            case when m < 0 then -1 - b / ${staffOfService} / ${bookedHours} else 1 + m / ${staff} % ${days} end as day,
                            case when m < 0 then b / ${staffOfService} % ${bookedHours} else m / ${staff} / ${days} end as hour) z,
            lateral (select (current_date + day + make_time(${firstHour} + hour, 0, 0)) at time zone '${staffZone}' as start) t
      where n % 10 = 0
     returning organization_id, id, status, created_at)
   insert into booking_calendars (organization_id, booking_id, status, wanted, synced, connection_id, calendar_id, generation, event_id, etag,
          event_url, last_synced_at, pending_since, created_at, updated_at)
   select o, id, case when status = 'held' then 'skipped' else 'synced' end, 1, 1, ${idOf('calendar')},
          'primary', 0, case when status not in ('held', 'cancelled') then 'k' || md5(id::text) end,
          case when status not in ('held', 'cancelled') then '"' || md5(id::text) || '"' end, '', created_at, null, created_at, created_at
     from (select *, organization_id as o from b) b`,
  `insert into contacts (id, organization_id, name, phone_number, email, created_at, updated_at)
   select id, o, first_name || ' ' || last_name, phone, lower(last_name) || n || '@${domain}', now(), now() from bench_contacts`,
];

/** After the payments. */
export const refunds = `
  insert into refunds (id, organization_id, order_id, payment_id, connection_id, status, amount, currency, provider_refund_id, asked_at,
          created_at, updated_at)
   select uuidv7(b.at - now()), o, b.id, p.id, p.connection_id, 'succeeded',
          case payment_status when 'refunded' then subtotal + fee else 100000 end, 'IDR',
          case when p.connection_id is not null then 're_' || md5(p.id::text) end, b.at, b.at, b.at
     from bench_orders b
     join payments p on p.organization_id = b.o and p.order_id = b.id
    where payment_status in ('refunded', 'partially_refunded')`;
