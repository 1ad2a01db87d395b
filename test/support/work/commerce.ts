import { Booking } from '../../../src/commerce/bookings/booking.entity.ts';
import { Staff } from '../../../src/commerce/bookings/staff.entity.ts';
import { BookingCalendar } from '../../../src/commerce/calendar/booking-calendar.entity.ts';
import { ProductVariant } from '../../../src/commerce/catalogue/product.entity.ts';
import { Order, OrderItem } from '../../../src/commerce/orders/order.entity.ts';
import { Payment, PaymentSession, Refund } from '../../../src/commerce/payments/payment.entity.ts';
import { Shipment } from '../../../src/commerce/shipping/shipment.entity.ts';
import { rowsOf } from './rows.ts';

export const bookingRows = rowsOf(Booking);
export const bookingCalendarRows = rowsOf(BookingCalendar);
export const staffRows = rowsOf(Staff);
export const orderRows = rowsOf(Order);
export const orderItemRows = rowsOf(OrderItem);
export const paymentRows = rowsOf(Payment);
export const paymentSessionRows = rowsOf(PaymentSession);
export const refundRows = rowsOf(Refund);
export const variantRows = rowsOf(ProductVariant);
export const shipmentRows = rowsOf(Shipment);
