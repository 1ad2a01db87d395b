import { cut } from '../../platform/cut.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { invalidField } from '../../platform/errors.ts';
import type { NewShipperOrder, ShipperItem } from '../../providers/shipper/provider.ts';
import { rupiahOf } from '../delivery/rupiah.ts';
import { shippingOrigin } from '../delivery/shipping-origin.ts';
import { OrderItem } from '../orders/order.entity.ts';
import type { OrderRow } from '../orders/order-row.ts';
import type { ShipmentRow } from './shipment-row.ts';

const itemColumns = ['position', 'name', 'quantity', 'unit_amount', 'weight_grams'] as const;
type Item = RowOf<typeof OrderItem, (typeof itemColumns)[number]>;

const shippedItems = statement((select, { orderId }: { orderId: string }) =>
  select(OrderItem).select(itemColumns).where('order_id', '=', orderId).where('is_shipped', '=', true).orderBy('position'),
);

const toItem =
  (currency: string) =>
  (item: Item): ShipperItem => {
    if (item.weight_grams === null)
      throw invalidField(`items[${item.position}]`, `The weight of "${item.name}" is not known`, 'weight_grams.required');
    return {
      name: item.name,
      quantity: item.quantity,
      weightGrams: item.weight_grams,
      valueIdr: rupiahOf(item.unit_amount, currency),
    };
  };

type Of = Pick<ShipmentRow, 'id' | 'courier_code' | 'courier_service_code' | 'destination_area_id'>;

/** What goes to the shipper. Throws 422 for what the order does not say. */
export async function parcelOf(own: Own, order: OrderRow, shipment: Of): Promise<NewShipperOrder> {
  const origin = await shippingOrigin(own);
  const items = (await shippedItems(own, { orderId: order.id })).map(toItem(order.currency));
  if (items.length === 0) throw invalidField('items', 'Nothing of this order is shipped');
  const { shipping_address: address } = order;
  if (!address) throw invalidField('shipping_address', 'The order has no address', 'required');
  if (!order.customer_name) throw invalidField('customer_name', 'The courier needs a name', 'required');
  if (!order.customer_phone) throw invalidField('customer_phone', 'The courier needs a phone number', 'required');
  if (!shipment.destination_area_id)
    throw invalidField(
      'shipping_address.area_id',
      'The shipper needs its id of the area: see GET /v1/commerce/shipping-areas',
      'required',
    );
  return {
    reference: shipment.id,
    origin: {
      areaId: origin.area_id,
      contactName: origin.contact_name,
      contactPhone: origin.contact_phone,
      address: origin.address,
      ...(origin.postal_code && { postalCode: origin.postal_code }),
      ...(origin.note && { note: origin.note }),
    },
    destination: {
      areaId: shipment.destination_area_id,
      contactName: order.customer_name,
      contactPhone: order.customer_phone,
      address: [address.address, address.district, address.city, address.province].filter(Boolean).join(', '),
    },
    courierCode: shipment.courier_code,
    serviceCode: shipment.courier_service_code,
    items,
    note: cut(order.fulfillment_notes, 500),
  };
}
