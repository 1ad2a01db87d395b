import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import type { Booking } from '../bookings/booking.entity.ts';
import type { PaymentSession } from '../payments/payment.entity.ts';
import type { Shipment } from '../shipping/shipment.entity.ts';
import type { Order, OrderItem } from './order.entity.ts';
import { type OrderRow, orderColumns } from './order-row.ts';

export type ShownItem = RowOf<
  typeof OrderItem,
  'id' | 'product_id' | 'variant_id' | 'service_id' | 'sku' | 'name' | 'quantity'
> & { unit_amount: number; discount_amount: number; total_amount: number };

export type ShownBooking = RowOf<
  typeof Booking,
  'service_id' | 'status' | 'starts_at' | 'ends_at' | 'timezone' | 'checked_in_at' | 'checkin_token_hash' | 'staff_id'
> & {
  booking_id: string;
  booking_mode: string;
  booking_schedule_source: string;
  booking_schedule_updated_at: string;
  video_conference_override: string;
  staff_name: string;
  calendar_event_id: string | null;
  calendar_event_url: string | null;
  calendar_last_synced_at: string | null;
  calendar_sync_error: string | null;
  calendar_sync_status: string | null;
  video_meet_url: string | null;
  video_meeting_url: string | null;
};

export type ShownShipment = RowOf<
  typeof Shipment,
  | 'shipper_order_id'
  | 'confirm_error'
  | 'confirm_status'
  | 'courier_code'
  | 'courier_service_code'
  | 'destination_area_id'
  | 'last_webhook_event'
  | 'last_webhook_status'
> & { shipper_price_idr: number | null; draft_order_id: string | null };

export type ShownSession = RowOf<typeof PaymentSession, 'checkout_url' | 'payment_method' | 'provider' | 'reference_id'> & {
  payment_session_id: string | null;
  store_name: string | null;
  store_slug: string | null;
};

/** The order with what stands around it. `checkout_token`: sealed. The amounts of items are numbers: they fit, by a check of the table. */
export type ShownOrder = OrderRow &
  RowOf<typeof Order, 'checkout_token'> & {
    items: ShownItem[];
    booking: ShownBooking | null;
    shipment: ShownShipment | null;
    session: ShownSession | null;
  };

/** SQL: a part of the statement below. What waits for a refused account has no run that could say so; looked up only then. */
const calendarError = `
            case when c.status = 'pending' and c.error = '' then coalesce((
              select 'The ' || n.kind || ' connection is ' || n.status
                from connections n
               where n.organization_id = b.organization_id
                 and n.id in (c.connection_id, coalesce(s.calendar_connection_id, s.video_connection_id))
                 and n.status in ('auth_error', 'restricted')
               order by n.kind
               limit 1), '') else c.error end`;

/** SQL: lists and newest rows of seven other tables, in the one statement that reads the order; from a table or CTE called `k`. */
export const shownColumns = `
  ${orderColumns.map((column) => `k.${column}`).join(', ')}, k.checkout_token,
  (select json_agg(json_build_object(
            'id', i.id, 'product_id', i.product_id, 'variant_id', i.variant_id, 'service_id', i.service_id, 'sku', i.sku,
            'name', i.name, 'quantity', i.quantity, 'unit_amount', i.unit_amount, 'discount_amount', i.discount_amount,
            'total_amount', i.total_amount) order by i.position)
     from order_items i
    where i.organization_id = k.organization_id and i.order_id = k.id) as items,
  (select json_build_object(
            'booking_id', b.id, 'service_id', b.service_id, 'status', b.status, 'starts_at', b.starts_at, 'ends_at', b.ends_at,
            'timezone', b.timezone, 'booking_mode', b.mode, 'booking_schedule_source', b.source,
            'booking_schedule_updated_at', b.schedule_updated_at, 'checked_in_at', b.checked_in_at,
            'checkin_token_hash', b.checkin_token_hash, 'video_conference_override', b.conference, 'staff_id', b.staff_id,
            'staff_name', s.name, 'calendar_event_id', case when c.etag is not null then c.event_id end, 'calendar_event_url', c.event_url,
            'calendar_last_synced_at', c.last_synced_at, 'calendar_sync_error', ${calendarError}, 'calendar_sync_status', c.status,
            'video_meet_url', c.meet_url, 'video_meeting_url', c.video_url)
     from bookings b
     join staff s on s.organization_id = b.organization_id and s.id = b.staff_id
     left join booking_calendars c on c.organization_id = b.organization_id and c.booking_id = b.id
    where b.organization_id = k.organization_id and b.order_id = k.id) as booking,
  (select json_build_object(
            'shipper_order_id', h.shipper_order_id, 'shipper_price_idr', h.shipper_price_idr, 'confirm_error', h.confirm_error,
            'confirm_status', h.confirm_status, 'courier_code', h.courier_code, 'courier_service_code', h.courier_service_code,
            'destination_area_id', h.destination_area_id, 'draft_order_id', h.shipper_draft_order_id,
            'last_webhook_event', h.last_webhook_event, 'last_webhook_status', h.last_webhook_status)
     from shipments h
    where h.organization_id = k.organization_id and h.order_id = k.id
    order by h.created_at desc, h.id desc
    limit 1) as shipment,
  (select json_build_object(
            'checkout_url', p.checkout_url, 'payment_method', p.payment_method, 'payment_session_id', p.provider_session_id,
            'provider', p.provider, 'reference_id', p.reference_id, 'store_name', t.store_name, 'store_slug', t.store_slug)
     from payment_sessions p
     left join commerce_settings t on t.organization_id = p.organization_id
    where p.organization_id = k.organization_id and p.order_id = k.id
    order by p.created_at desc, p.id desc
    limit 1) as session`;

const byId = `
  select ${shownColumns}
    from orders k
   where k.organization_id = $1
     and k.id = $2`;

/** One statement. Within a transaction it shows what is written so far; records wait for a flush. Throws 404. */
export async function showOrder(own: Own, id: string): Promise<ShownOrder> {
  const [row] = await own.sql<ShownOrder>(byId, [id]);
  if (!row) throw notFound('Order');
  return row;
}
