import type { Credentials } from '../connections.ts';
import { ProviderRefused, ProviderUnknown } from '../errors.ts';
import type { ShipperClient } from './client.ts';
import { DuplicateReference } from './error-codes.ts';
import type { NewShipperOrder, Shipper, ShipperAddress, ShipperItem, ShipperOrder, ShipperPlace } from './provider.ts';
import { areasOf, orderOf, ratesOf, trackingOf } from './replies.ts';

/** Somebody waits for the list of areas. */
const areasMs = 5_000;

const keyOf = ({ api_key }: Credentials) => api_key ?? '';

const itemsOf = (items: ShipperItem[]) =>
  items.map(({ name, quantity, weightGrams, valueIdr }) => ({ name, quantity, weight: weightGrams, value: valueIdr }));

const placeOf = (end: string, { areaId, postalCode }: ShipperPlace) => ({
  [`${end}_area_id`]: areaId,
  ...(postalCode && { [`${end}_postal_code`]: /^\d+$/.test(postalCode) ? Number(postalCode) : postalCode }),
});

const addressOf = (end: string, { contactName, contactPhone, address, note, ...place }: ShipperAddress) => ({
  ...placeOf(end, place),
  [`${end}_contact_name`]: contactName,
  [`${end}_contact_phone`]: contactPhone,
  [`${end}_address`]: address,
  ...(note && { [`${end}_note`]: note }),
});

export function biteship(client: ShipperClient): Shipper {
  const readOrder = async (credentials: Credentials, id: string) =>
    orderOf(await client.get(`v1/orders/${encodeURIComponent(id)}`, keyOf(credentials)));

  async function createOrder(credentials: Credentials, order: NewShipperOrder): Promise<ShipperOrder> {
    const body = {
      reference_id: order.reference,
      ...addressOf('origin', order.origin),
      ...addressOf('destination', order.destination),
      courier_company: order.courierCode,
      courier_type: order.serviceCode,
      delivery_type: 'now',
      ...(order.note && { order_note: order.note }),
      items: itemsOf(order.items),
    };
    try {
      return orderOf(await client.post('v1/orders', keyOf(credentials), body));
    } catch (error) {
      if (error instanceof DuplicateReference)
        return adopted(await readOrder(credentials, error.orderId), order.reference, error);
      // It names no order, so ours may be there: as a refusal it would free the order for a second parcel.
      const isAboutReference = error instanceof ProviderRefused && /reference/i.test(error.message);
      throw isAboutReference
        ? new ProviderUnknown(error.message, { code: error.providerCode ?? undefined, cause: error })
        : error;
    }
  }

  return {
    async verify(credentials) {
      await client.get('v1/maps/areas', keyOf(credentials), { countries: 'ID', input: 'Jakarta', type: 'single' });
      return { account: keyOf(credentials).startsWith('biteship_test.') ? 'test mode' : 'live mode' };
    },
    async findAreas(credentials, search) {
      const query = { countries: 'ID', input: search, type: 'single' };
      return areasOf(await client.get('v1/maps/areas', keyOf(credentials), query, areasMs));
    },
    async rates(credentials, { origin, destination, items, couriers }) {
      const body = {
        ...placeOf('origin', origin),
        ...placeOf('destination', destination),
        couriers: couriers.join(','),
        items: itemsOf(items),
      };
      return ratesOf(await client.post('v1/rates/couriers', keyOf(credentials), body, true));
    },
    createOrder,
    readOrder,
    async cancelOrder(credentials, id, reason) {
      const body = { cancellation_reason_code: 'others', cancellation_reason: reason };
      await client.post(`v1/orders/${encodeURIComponent(id)}/cancel`, keyOf(credentials), body);
    },
    track: async (credentials, trackingId) =>
      trackingOf(await client.get(`v1/trackings/${encodeURIComponent(trackingId)}`, keyOf(credentials))),
  };
}

/** What the duplicate names must be ours: references are unique in an account, which others may use too. */
function adopted(order: ShipperOrder, reference: string, error: DuplicateReference): ShipperOrder {
  if (order.reference === reference) return order;
  throw new ProviderRefused(`The shipper names another order for the reference: ${error.message}`, { code: 'reference_taken' });
}
