import type { AnyEndpoint } from '../http/endpoint.ts';
import { syncBookingCalendar } from './booking-calendar-sync.ts';
import { bookingEndpoints } from './booking-index.ts';
import { catalogueEndpoints } from './catalogue-index.ts';
import { orderEndpoints } from './order-index.ts';
import { paymentEndpoints } from './payment-index.ts';
import { cancelOneShipment, createOneShipment, getOneShipment, listOfShipments, settleOneShipment } from './shipments.ts';
import { listOfAreas } from './shipping-areas.ts';
import { createShippingQuote, getShippingQuote } from './shipping-quotes.ts';

/** In the order of the document. */
export const commerceEndpoints: AnyEndpoint[] = [
  ...catalogueEndpoints,
  ...orderEndpoints,
  listOfAreas,
  createShippingQuote,
  getShippingQuote,
  listOfShipments,
  createOneShipment,
  getOneShipment,
  cancelOneShipment,
  settleOneShipment,
  ...paymentEndpoints,
  ...bookingEndpoints,
  syncBookingCalendar,
];
