import type { Credentials, Verified } from '../connections.ts';

/** The shipper's own words for where a parcel is. */
export const shipperStatuses = [
  'confirmed',
  'scheduled',
  'allocated',
  'picking_up',
  'picked',
  'dropping_off',
  'delivered',
  'on_hold',
  'return_in_transit',
  'returned',
  'rejected',
  'disposed',
  'cancelled',
  'courier_not_found',
] as const;
export type ShipperStatus = (typeof shipperStatuses)[number];

export type ShipperArea = { id: string; name: string; province: string; city: string; district: string; postalCode: string };

/** `valueIdr`: of one piece, in whole rupiah. */
export type ShipperItem = { name: string; quantity: number; weightGrams: number; valueIdr: number };

export type ShipperPlace = { areaId: string; postalCode?: string };
export type ShipperAddress = ShipperPlace & { contactName: string; contactPhone: string; address: string; note?: string };

/** `couriers`: codes of those that are asked for a price. */
export type RatesAsked = { origin: ShipperPlace; destination: ShipperPlace; items: ShipperItem[]; couriers: string[] };

export type ShipperRate = {
  courierCode: string;
  courierName: string;
  serviceCode: string;
  serviceName: string;
  /** In words: `2 - 3 days`. */
  duration: string;
  priceIdr: number;
};

/** The reference makes it once: the shipper refuses a second order of one reference and names the first. */
export type NewShipperOrder = {
  reference: string;
  origin: ShipperAddress;
  destination: ShipperAddress;
  courierCode: string;
  serviceCode: string;
  items: ShipperItem[];
  note: string;
};

export type ShipperOrder = {
  id: string;
  /** Empty: it was made without one. */
  reference: string;
  draftOrderId: string | null;
  /** A word that is not known here is kept by nobody: undefined. */
  status: ShipperStatus | undefined;
  priceIdr: number | null;
  courierCode: string;
  serviceCode: string;
  /** Empty: not known yet. */
  trackingId: string;
  trackingNumber: string;
  /** Empty unless it is https. */
  trackingUrl: string;
};

export type ShipperTracking = Pick<ShipperOrder, 'status' | 'trackingNumber' | 'trackingUrl'> & {
  history: { status: ShipperStatus | undefined; note: string; at: string }[];
};

/** Every call throws a ProviderError; refused credentials have `stopsChannel`. */
export type Shipper = {
  /** A call that reads, and that only good credentials pass. */
  verify(credentials: Credentials): Promise<Verified>;
  findAreas(credentials: Credentials, search: string): Promise<ShipperArea[]>;
  rates(credentials: Credentials, asked: RatesAsked): Promise<ShipperRate[]>;
  /** The one of this reference, whether it is made now or was before. */
  createOrder(credentials: Credentials, order: NewShipperOrder): Promise<ShipperOrder>;
  readOrder(credentials: Credentials, id: string): Promise<ShipperOrder>;
  /** Refused for a parcel that is fetched already, and for one that is cancelled. */
  cancelOrder(credentials: Credentials, id: string, reason: string): Promise<void>;
  track(credentials: Credentials, trackingId: string): Promise<ShipperTracking>;
};
