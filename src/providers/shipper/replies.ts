import { cut } from '../../platform/cut.ts';
import { ProviderFailed } from '../errors.ts';
import { type Json, object, textOf } from '../messaging-app/json.ts';
import {
  type ShipperArea,
  type ShipperOrder,
  type ShipperRate,
  type ShipperStatus,
  type ShipperTracking,
  shipperStatuses,
} from './provider.ts';

const list = (value: unknown): Json[] => (Array.isArray(value) ? value.slice(0, 1_000).map(object) : []);
const line = (value: unknown, max = 200) => cut(textOf(value).trim(), max);

/** Its webhooks write some words otherwise: `pickingUp`. */
export function statusOf(value: unknown): ShipperStatus | undefined {
  const word = line(value)
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase();
  return shipperStatuses.find((status) => status === word);
}

/** Whole rupiah; null for anything else. */
function rupiahOf(value: unknown): number | null {
  const amount = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof amount === 'number' && Number.isSafeInteger(amount) && amount >= 0 ? amount : null;
}

/** It is shown to people and followed by them, never by us. */
function secureUrl(value: unknown): string {
  const text = line(value, 2_000);
  const url = URL.parse(text);
  return url?.protocol === 'https:' && !url.username && !url.password ? text : '';
}

export function areasOf(reply: unknown): ShipperArea[] {
  return list(object(reply).areas).flatMap((area) => {
    const id = line(area.id);
    return id === ''
      ? []
      : [
          {
            id,
            name: line(area.name, 500),
            province: line(area.administrative_division_level_1_name),
            city: line(area.administrative_division_level_2_name),
            district: line(area.administrative_division_level_3_name),
            postalCode: line(area.postal_code),
          },
        ];
  });
}

/** Those with a price in whole rupiah. */
export function ratesOf(reply: unknown): ShipperRate[] {
  return list(object(reply).pricing).flatMap((rate) => {
    const priceIdr = rupiahOf(rate.price);
    const [courierCode, serviceCode] = [
      line(rate.courier_code) || line(rate.company),
      line(rate.courier_service_code) || line(rate.type),
    ];
    if (priceIdr === null || (rate.currency ?? 'IDR') !== 'IDR' || !courierCode || !serviceCode) return [];
    return [
      {
        courierCode,
        serviceCode,
        courierName: line(rate.courier_name) || courierCode,
        serviceName: line(rate.courier_service_name) || serviceCode,
        duration: line(rate.duration) || [line(rate.shipment_duration_range), line(rate.shipment_duration_unit)].join(' ').trim(),
        priceIdr,
      },
    ];
  });
}

/** Throws ProviderFailed for what is no order: it is read again. */
export function orderOf(reply: unknown): ShipperOrder {
  const order = object(reply);
  const id = line(order.id);
  if (!id) throw new ProviderFailed('The shipper answered with something that is no order');
  const courier = object(order.courier);
  return {
    id,
    reference: line(order.reference_id),
    draftOrderId: line(order.draft_order_id) || null,
    status: statusOf(order.status),
    priceIdr: rupiahOf(order.price),
    courierCode: line(courier.company),
    serviceCode: line(courier.type),
    trackingId: line(courier.tracking_id),
    trackingNumber: line(courier.waybill_id),
    trackingUrl: secureUrl(courier.link),
  };
}

export function trackingOf(reply: unknown): ShipperTracking {
  const tracking = object(reply);
  return {
    status: statusOf(tracking.status),
    trackingNumber: line(tracking.waybill_id),
    trackingUrl: secureUrl(tracking.link),
    history: list(tracking.history).map(({ status, note, updated_at }) => ({
      status: statusOf(status),
      note: line(note, 500),
      at: line(updated_at),
    })),
  };
}
