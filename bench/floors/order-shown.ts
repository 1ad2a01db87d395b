export type Fields = Record<string, unknown>;
export type Item = {
  id: string;
  product_id: string;
  variant_id: string;
  position: number;
  sku: string;
  name: string;
  quantity: number;
  unit_amount: number;
  discount_amount: number;
  total_amount: number;
  is_shipped: boolean;
};

const amounts = ['delivery_fee_amount', 'discount_amount', 'subtotal_amount', 'total_amount', 'paid_amount', 'refunded_amount'];
const texts = [
  ...[
    'id',
    'order_no',
    'contact_id',
    'draft_order_id',
    'created_at',
    'status',
    'customer_name',
    'customer_email',
    'customer_phone',
  ],
  ...['delivery_date', 'delivery_timeslot', 'delivery_method', 'delivery_method_id', 'payment_method', 'referral_code', 'notes'],
  ...['fulfillment_carrier', 'fulfillment_notes', 'tracking_number', 'tracking_url', 'source_reference', 'shipping_address'],
  ...['currency', 'payment_status', 'fulfillment_status', 'attention', 'reserved_until', 'revision', 'updated_at'],
];

export const orderColumns = [...texts, ...amounts, 'checkout_uploads', 'checkout_token'];

/** Without what is empty. */
function filled(row: Fields, names: string[]): Fields {
  const shown: Fields = {};
  for (const name of names) {
    const value = row[name];
    if (value !== null && value !== undefined && value !== '') shown[name] = value;
  }
  return shown;
}

const shipmentFields = [
  ...['shipper_order_id', 'shipper_price_idr', 'confirm_error', 'confirm_status', 'courier_code', 'courier_service_code'],
  ...['destination_area_id', 'draft_order_id', 'last_webhook_event', 'last_webhook_status'],
];

/** The reply of the order's endpoints. */
export function shownOrder(row: Fields, organization: string): Fields {
  const shown = filled(row, texts);
  for (const name of amounts) shown[name] = Number(row[name]);
  const { booking, shipment, session } = row as Record<string, Fields | null>;
  const parts: Fields = {};
  if (booking)
    parts.booking = {
      has_scheduled_booking: booking.status !== 'cancelled',
      checkout_token: row.checkout_token,
      ...filled(booking, Object.keys(booking)),
    };
  if (shipment) parts.live_shipping = filled(shipment, shipmentFields);
  if (session)
    parts.payment = { ...filled(session, Object.keys(session)), order_no: row.order_no, organization_id: organization };
  shown.organization_id = organization;
  shown.checkout_uploads = row.checkout_uploads;
  shown.currency_digits = 2;
  if (Object.keys(parts).length > 0) shown.shipping_metadata = parts;
  shown.items = (row.items as Item[]).map(
    ({ id, product_id, variant_id, sku, name, quantity, unit_amount, discount_amount, total_amount }) => ({
      ...{ id, product_id, variant_id, sku, name, quantity, unit_amount, discount_amount, total_amount },
    }),
  );
  return shown;
}
