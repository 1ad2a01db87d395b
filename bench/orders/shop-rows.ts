import { anyOf, idNamed, idOf, organizations } from '../fill-sql.ts';

/** What a shop has before its first order. $1: organizations. Ids follow from the organization's. */

export const variants = 20;
export const variantOf = (v: string) => idNamed(`'variant ' || ${v}`);
export const staffOf = (s: string) => idNamed(`'staff ' || ${s}`);
export const serviceOf = (s: string) => idNamed(`'service ' || ${s}`);
export const staffZone = 'Europe/Berlin';
export const staffOfService = 5;
/** Starts by the wall clock, an hour each from this one on; the last hour is for what the calendar has beside the bookings. */
export const firstHour = 9;
export const bookedHours = 7;
const busyHour = firstHour + bookedHours + 1;

const hours = JSON.stringify([1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, start: '09:00', end: `${busyHour + 1}:00` })));
const kinds = { payment: 'stripe', shipper: 'biteship', calendar: 'google' };

export const shop = [
  `insert into commerce_settings (organization_id, store_name, store_slug, currency, timezone, order_no_prefix)
   select o, 'Batik & Co', 'batik-co', 'IDR', '${staffZone}', 'B-' from ${organizations}`,
  ...Object.entries(kinds).map(
    ([kind, provider]) => `
    insert into connections (id, organization_id, kind, provider, name, credentials)
    select ${idOf(kind)}, o, '${kind}', '${provider}', '${kind}', '' from ${organizations}`,
  ),
  ...['physical', 'service'].map(
    (kind) => `
    insert into products (id, organization_id, name, slug, kind)
    select ${idOf(kind)}, o, '${kind}', '${kind}', '${kind}' from ${organizations}`,
  ),
  `insert into product_variants (id, organization_id, product_id, sku, name, position, weight_grams)
   select ${variantOf('v')}, o, ${idOf('physical')}, 'SKU-' || v, ${anyOf(['Blue', 'Red', 'Green', 'Brown'], 'v')}, v, 300
     from ${organizations}, generate_series(0, ${variants - 1}) v`,
  ...['live', 'flat', 'pickup'].map(
    (kind) => `
    insert into delivery_methods (id, organization_id, name, kind, currency)
    select ${idOf(kind)}, o, '${kind}', '${kind}', 'IDR' from ${organizations}`,
  ),
];

/** Services of five each. What is done by whom follows from their number; the first service has the first five. */
export const people = (staff: number) => [
  `insert into services (id, organization_id, name, duration_minutes, buffer_after)
   select ${serviceOf('s')}, o, 'Fitting ' || s, 45, 15 from ${organizations}, generate_series(0, ${Math.floor((staff - 1) / staffOfService)}) s`,
  `insert into product_variants (id, organization_id, product_id, sku, name, service_id)
   select ${idOf('fitting')}, o, ${idOf('service')}, 'FIT', 'Fitting', ${serviceOf('0')} from ${organizations}`,
  `insert into staff (id, organization_id, name, timezone, calendar_connection_id, calendar_id, weekly_hours, reads_busy, next_copy_at)
   select ${staffOf('s')}, o, 'Dewi ' || s, '${staffZone}', ${idOf('calendar')}, 'primary', '${hours}', true, now() + interval '1 day'
     from ${organizations}, generate_series(0, ${staff - 1}) s`,
  `insert into service_staff (organization_id, service_id, staff_id, position)
   select o, ${serviceOf(`s / ${staffOfService}`)}, ${staffOf('s')}, s % ${staffOfService}
     from ${organizations}, generate_series(0, ${staff - 1}) s`,
  `insert into staff_busy (organization_id, staff_id, during)
   select o, ${staffOf('s')}, tstzrange(x.at, x.at + interval '1 hour')
     from ${organizations}, generate_series(0, ${staff - 1}) s, generate_series(1, 31, 3) day,
          lateral (select (current_date + day + time '${busyHour}:00') at time zone '${staffZone}' as at) x`,
];
