import { Booking } from '../../../src/commerce/bookings/booking.entity.ts';
import { ServiceStaff } from '../../../src/commerce/bookings/service.entity.ts';
import { Staff } from '../../../src/commerce/bookings/staff.entity.ts';
import { BookingCalendar } from '../../../src/commerce/calendar/booking-calendar.entity.ts';
import { Category } from '../../../src/commerce/catalogue/category.entity.ts';
import { Discount } from '../../../src/commerce/catalogue/discount.entity.ts';
import { Product, ProductVariant, VariantPrice } from '../../../src/commerce/catalogue/product.entity.ts';
import { DeliveryMethod, SlotUsage } from '../../../src/commerce/delivery/method.entity.ts';
import { Quote } from '../../../src/commerce/delivery/quote.entity.ts';
import { DraftOrder } from '../../../src/commerce/drafts/draft.entity.ts';
import { Order, OrderItem } from '../../../src/commerce/orders/order.entity.ts';
import { Payment, Refund } from '../../../src/commerce/payments/payment.entity.ts';
import { CommerceSettings } from '../../../src/commerce/settings.entity.ts';
import { Shipment } from '../../../src/commerce/shipping/shipment.entity.ts';
import { type Database, storedRows } from './rows.ts';

export const storedQuotes = storedRows(Quote);
export const storedDeliveryMethods = storedRows(DeliveryMethod);
export const storedSlotUsage = storedRows(SlotUsage);
export const storedOrders = storedRows(Order);
export const storedOrderItems = storedRows(OrderItem);
export const storedShipments = storedRows(Shipment);
export const storedDraftOrders = storedRows(DraftOrder);
export const storedPayments = storedRows(Payment);
export const storedRefunds = storedRows(Refund);
export const storedBookings = storedRows(Booking);
export const storedServiceStaff = storedRows(ServiceStaff);
export const storedStaff = storedRows(Staff);
export const storedCommerceSettings = storedRows(CommerceSettings);
export const storedProducts = storedRows(Product);
export const storedVariants = storedRows(ProductVariant);
export const storedVariantPrices = storedRows(VariantPrice);
export const storedCategories = storedRows(Category);
export const storedDiscounts = storedRows(Discount);
export const storedBookingCalendars = storedRows(BookingCalendar);

/** Whole pieces; the database's numbers are text to the driver. */
export async function stockOfVariant(app: Database, id: string): Promise<{ on_hand: number; reserved: number }> {
  const { on_hand, reserved } = await storedVariants.one(app, id);
  return { on_hand: Number(on_hand), reserved: Number(reserved) };
}
