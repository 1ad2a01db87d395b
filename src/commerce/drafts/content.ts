import type { GivenBooking } from '../bookings/of-order.ts';
import type { ShippingAddress } from '../orders/order.entity.ts';

export type GivenItem = { variant_id: string; quantity: number };

/** What becomes an order, as a client says it. A fee, a price or a name is never a client's word. */
export type OrderContent = {
  items?: GivenItem[];
  /** Default: the store's. */
  currency?: string;
  customer_name?: string;
  customer_email?: string;
  customer_phone?: string;
  discount_code?: string;
  delivery_method_id?: string;
  delivery_date?: string;
  delivery_timeslot_id?: string;
  shipping_address?: ShippingAddress;
  quote_id?: string;
  rate_id?: string;
  booking?: GivenBooking;
  checkout_uploads?: string[];
  payment_method?: string;
  referral_code?: string;
  notes?: string;
  fulfillment_notes?: string;
  source_reference?: string;
};

/** `contact_id` is a column of a draft: a merge of contacts moves it. */
export type NewOrder = OrderContent & { contact_id?: string };
