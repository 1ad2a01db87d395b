import type { ShownBooking, ShownOrder } from '../../src/commerce/orders/shown.ts';
import { digitsOf } from '../../src/money/currencies.ts';
import type { Secrets } from '../../src/platform/secrets.ts';
import { iso } from '../http/schemas.ts';

type Shown = Record<string, unknown>;

/** Without what is empty; undefined when nothing is left. */
function filled(fields: Shown): Shown | undefined {
  let shown: Shown | undefined;
  for (const name in fields) {
    const value = fields[name];
    if (value === null || value === undefined || value === '') continue;
    shown ??= {};
    shown[name] = value;
  }
  return shown;
}

const isoOrNull = (time: string | null | undefined) => (time ? iso(time) : null);

export const toOrderView = (row: ShownOrder, organizationId: string, secrets: Secrets) => ({
  id: row.id,
  order_no: row.order_no,
  status: row.status,
  customer_phone: row.customer_phone,
  checkout_uploads: row.checkout_uploads,
  delivery_fee_amount: Number(row.delivery_fee_amount),
  discount_amount: Number(row.discount_amount),
  subtotal_amount: Number(row.subtotal_amount),
  total_amount: Number(row.total_amount),
  ...filled({
    organization_id: organizationId,
    contact_id: row.contact_id,
    draft_order_id: row.draft_order_id,
    created_at: iso(row.created_at),
    customer_name: row.customer_name,
    customer_email: row.customer_email,
    delivery_date: row.delivery_date,
    delivery_timeslot: row.delivery_timeslot,
    delivery_method: row.delivery_method,
    delivery_method_id: row.delivery_method_id,
    payment_method: row.payment_method,
    referral_code: row.referral_code,
    notes: row.notes,
    fulfillment_carrier: row.fulfillment_carrier,
    fulfillment_notes: row.fulfillment_notes,
    tracking_number: row.tracking_number,
    tracking_url: row.tracking_url,
    source_reference: row.source_reference,
    shipping_address: row.shipping_address && filled(row.shipping_address),
    shipping_metadata: filled({
      booking: bookingPart(row, secrets),
      live_shipping: shippingPart(row),
      payment: paymentPart(row, organizationId),
      subscription: subscriptionPart(row),
    }),
  }),
  items: row.items.map(({ service_id: _, ...item }) => item),
  currency: row.currency,
  currency_digits: digitsOf(row.currency),
  payment_status: row.payment_status,
  fulfillment_status: row.fulfillment_status,
  paid_amount: Number(row.paid_amount),
  refunded_amount: Number(row.refunded_amount),
  attention: row.attention,
  reserved_until: isoOrNull(row.reserved_until),
  revision: row.revision,
  updated_at: iso(row.updated_at),
});

/** An order with a service has it even before a time is chosen. */
function bookingPart({ booking, items, checkout_token }: ShownOrder, secrets: Secrets) {
  if (!booking && !items.some(({ service_id }) => service_id !== null)) return undefined;
  return {
    has_scheduled_booking: booking !== null && booking.status !== 'cancelled',
    ...filled({
      checkout_token: checkout_token && secrets.open(checkout_token),
      ...(booking && timed(booking)),
    }),
  };
}

const timed = (booking: ShownBooking) => ({
  ...booking,
  starts_at: iso(booking.starts_at),
  ends_at: iso(booking.ends_at),
  booking_schedule_updated_at: iso(booking.booking_schedule_updated_at),
  checked_in_at: isoOrNull(booking.checked_in_at),
  calendar_last_synced_at: isoOrNull(booking.calendar_last_synced_at),
});

function shippingPart({ shipment, rate, shipping_address }: ShownOrder) {
  if (shipment) return filled(shipment);
  return (
    rate &&
    filled({
      shipper_price_idr: rate.shipper_price_idr,
      courier_code: rate.courier_code,
      courier_service_code: rate.courier_service_code,
      destination_area_id: shipping_address?.area_id,
    })
  );
}

const paymentPart = ({ session, order_no, payment_method }: ShownOrder, organizationId: string) =>
  session &&
  filled({
    ...session,
    order_no,
    organization_id: organizationId,
    payment_method: session.payment_method || payment_method,
  });

const subscriptionPart = ({ prepaid_deliveries_total: total, prepaid_deliveries_remaining: remaining }: ShownOrder) =>
  total === null ? undefined : { prepaid_deliveries_remaining: remaining ?? 0, prepaid_deliveries_total: total };
