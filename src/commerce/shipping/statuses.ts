import type { ShipperStatus } from '../../providers/shipper/provider.ts';
import type { OrderFulfillmentStatus } from '../orders/order.entity.ts';
import type { ShipmentStatus } from './shipment.entity.ts';

type Meaning = {
  /** What is read late changes nothing. A parcel that was given up may still arrive. */
  rank: number;
  fulfillment: OrderFulfillmentStatus;
  /** What becomes of the shipment; without it it goes on. */
  ends?: ShipmentStatus;
};

/** All fourteen words of the shipper. */
export const meanings: Record<ShipperStatus, Meaning> = {
  confirmed: { rank: 1, fulfillment: 'requested' },
  scheduled: { rank: 2, fulfillment: 'requested' },
  allocated: { rank: 3, fulfillment: 'requested' },
  picking_up: { rank: 4, fulfillment: 'requested' },
  picked: { rank: 5, fulfillment: 'shipped' },
  dropping_off: { rank: 6, fulfillment: 'shipped' },
  // It comes and goes while a parcel is on its way.
  on_hold: { rank: 6, fulfillment: 'shipped' },
  rejected: { rank: 7, fulfillment: 'failed', ends: 'failed' },
  disposed: { rank: 7, fulfillment: 'failed', ends: 'failed' },
  cancelled: { rank: 7, fulfillment: 'failed', ends: 'cancelled' },
  courier_not_found: { rank: 7, fulfillment: 'failed', ends: 'failed' },
  delivered: { rank: 8, fulfillment: 'delivered', ends: 'delivered' },
  return_in_transit: { rank: 9, fulfillment: 'returned' },
  returned: { rank: 10, fulfillment: 'returned', ends: 'returned' },
};

const rankOf = (status: string) => meanings[status as ShipperStatus]?.rank ?? 0;

export const isNews = (from: string, to: ShipperStatus): boolean => from !== to && rankOf(to) >= rankOf(from);

export const liveStatuses: readonly ShipmentStatus[] = ['creating', 'confirmed', 'cancelling'];

const cancellable: readonly string[] = ['', 'confirmed', 'scheduled', 'allocated', 'picking_up'];

/** The shipper takes no cancellation once the courier has the parcel. */
export const mayBeCancelled = (providerStatus: string) => cancellable.includes(providerStatus);
