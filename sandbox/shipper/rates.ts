import { type Area, areas } from './areas.ts';

interface Service {
  courier: string;
  name: string;
  code: string;
  service: string;
  perKilo: number;
  range: string;
  unit: string;
  isNear?: true;
}

const services: Service[] = [
  { courier: 'jne', name: 'JNE', code: 'reg', service: 'Reguler', perKilo: 9_000, range: '2 - 3', unit: 'days' },
  { courier: 'jne', name: 'JNE', code: 'yes', service: 'Yakin Esok Sampai', perKilo: 18_000, range: '1', unit: 'days' },
  { courier: 'sicepat', name: 'SiCepat', code: 'reg', service: 'Reguler', perKilo: 8_500, range: '1 - 2', unit: 'days' },
  { courier: 'anteraja', name: 'AnterAja', code: 'reg', service: 'Reguler', perKilo: 8_000, range: '2 - 4', unit: 'days' },
  {
    courier: 'gojek',
    name: 'Gojek',
    code: 'instant',
    service: 'Instant',
    perKilo: 20_000,
    range: '1 - 3',
    unit: 'hours',
    isNear: true,
  },
];

export interface Parcel {
  origin: Area;
  destination: Area;
  grams: number;
}

const distance = ({ origin, destination }: Parcel) => Math.abs(areas.indexOf(origin) - areas.indexOf(destination));
const isNear = ({ origin, destination }: Parcel) =>
  origin.administrative_division_level_1_name === destination.administrative_division_level_1_name;

const priceOf = ({ perKilo }: Service, parcel: Parcel) =>
  Math.max(1, Math.ceil(parcel.grams / 1_000)) * perKilo + distance(parcel) * 500;

const offered = (parcel: Parcel) => services.filter((one) => !one.isNear || isNear(parcel));

/** Undefined: no such courier goes there. */
export function priceFor(parcel: Parcel, courier: unknown, code: unknown): number | undefined {
  const service = offered(parcel).find((one) => one.courier === courier && one.code === code);
  return service && priceOf(service, parcel);
}

export const pricing = (parcel: Parcel, couriers: string[]) =>
  offered(parcel)
    .filter(({ courier }) => couriers.includes(courier))
    .map((one) => ({
      available_collection_method: ['pickup'],
      available_for_cash_on_delivery: false,
      company: one.courier,
      courier_name: one.name,
      courier_code: one.courier,
      courier_service_name: one.service,
      courier_service_code: one.code,
      currency: 'IDR',
      description: one.service,
      duration: `${one.range} ${one.unit}`,
      shipment_duration_range: one.range,
      shipment_duration_unit: one.unit,
      service_type: 'standard',
      shipping_type: 'parcel',
      price: priceOf(one, parcel),
      shipping_fee: priceOf(one, parcel),
      type: one.code,
    }));
