import Joi from 'joi';
import { bookingStatuses } from '../../src/commerce/bookings/booking.entity.ts';
import { id, timestamp } from '../http/schemas.ts';

const text = Joi.string();

const booking = Joi.object({
  booking_mode: text.valid('in_person', 'video', 'phone'),
  booking_schedule_source: text.valid('checkout', 'api', 'staff', 'customer'),
  booking_schedule_updated_at: timestamp,
  checked_in_at: timestamp,
  checkin_token_hash: text.description('sha256 as hex; the token itself is shown once and not kept'),
  checkout_token: text.description("Opens the customer's own page of the order"),
  calendar_event_id: text,
  calendar_event_url: text,
  calendar_last_synced_at: timestamp,
  calendar_sync_error: text,
  calendar_sync_status: text.valid('pending', 'synced', 'failed', 'skipped'),
  video_meet_url: text.description("The calendar's own conference"),
  video_meeting_url: text.description('The room of the video service'),
  has_scheduled_booking: Joi.boolean().required().description('It has a time that was not cancelled'),
  staff_id: id,
  staff_name: text,
  video_conference_override: text.description('`none`, `calendar`, `video` or an https link; left out: as the service says'),
  booking_id: id,
  service_id: id,
  status: text.valid(...bookingStatuses),
  starts_at: timestamp,
  ends_at: timestamp,
  timezone: text,
});

const liveShipping = Joi.object({
  shipper_order_id: text,
  shipper_price_idr: Joi.number().integer().description('Whole rupiah, as the shipper said'),
  confirm_error: text,
  confirm_status: text.valid('pending', 'confirmed', 'failed'),
  courier_code: text,
  courier_service_code: text,
  destination_area_id: text,
  draft_order_id: text.description("The shipper's own draft"),
  last_webhook_event: text,
  last_webhook_status: text,
});

const payment = Joi.object({
  checkout_url: text,
  order_no: text,
  organization_id: id,
  payment_method: text,
  payment_session_id: text.description("The provider's id of the newest session"),
  provider: text,
  reference_id: text.description('Ours, at the provider'),
  store_name: text,
  store_slug: text,
});

const subscription = Joi.object({
  prepaid_deliveries_remaining: Joi.number().integer().required(),
  prepaid_deliveries_total: Joi.number().integer().required(),
});

/** Each part is there only for an order that has to do with it. */
export const shippingMetadata = Joi.object({
  booking: booking.description('Of an order with a service'),
  live_shipping: liveShipping.description('The newest shipment, else the chosen rate'),
  payment: payment.description('The newest payment session'),
  subscription: subscription.description('Prepaid deliveries'),
});
