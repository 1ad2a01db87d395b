import type { AnyEndpoint } from '../http/endpoint.ts';
import { checkInBooking, listOfBookings } from './bookings.ts';
import { cancelByCustomer, getCustomerPage, listOfCustomerSlots, rescheduleByCustomer } from './customer-page.ts';
import {
  cancelBookingOfOrder,
  createBookingOfOrder,
  createCheckinToken,
  missBookingOfOrder,
  patchBookingOfOrder,
} from './order-booking.ts';
import { createOneService, deleteOneService, getOneService, listOfServices, patchOneService } from './services.ts';
import { listOfSlots } from './slots.ts';
import { createOneStaff, deleteOneStaff, getOneStaff, listOfStaff, patchOneStaff } from './staff.ts';

/** In the order of the document. */
export const bookingEndpoints: AnyEndpoint[] = [
  listOfServices,
  createOneService,
  getOneService,
  patchOneService,
  deleteOneService,
  listOfSlots,
  listOfStaff,
  createOneStaff,
  getOneStaff,
  patchOneStaff,
  deleteOneStaff,
  createBookingOfOrder,
  patchBookingOfOrder,
  cancelBookingOfOrder,
  createCheckinToken,
  missBookingOfOrder,
  listOfBookings,
  checkInBooking,
  getCustomerPage,
  listOfCustomerSlots,
  rescheduleByCustomer,
  cancelByCustomer,
];
