import Joi from 'joi';
import { isUrl } from './checks.ts';

const address = (byDefault: string) => Joi.string().custom(isUrl('http', 'https')).default(byDefault);

/** The services behind connections. Their addresses come from here alone, never from a person or a reply. */
export const connectionSettings = {
  CALENDAR_URL: address('https://www.googleapis.com/calendar/v3').description('Base address of the calendar service'),
  CALENDAR_TOKEN_URL: address('https://oauth2.googleapis.com/token').description('Where access tokens of calendars come from'),
  CALENDAR_AUTH_URL: address('https://accounts.google.com/o/oauth2/v2/auth').description(
    'Page where a person allows Kanal to write to a calendar',
  ),
  CALENDAR_CLIENT_ID: Joi.string()
    .empty('')
    .description("Client id of the installation's app at the calendar service; connecting by consent needs it"),
  CALENDAR_CLIENT_SECRET: Joi.string().empty('').description('Secret of this app'),
  VIDEO_URL: address('https://api.zoom.us/v2').description('Base address of the video service'),
  VIDEO_TOKEN_URL: address('https://zoom.us/oauth/token').description('Where access tokens of the video service come from'),
  SHIPPER_URL: address('https://api.biteship.com').description('Base address of the shipper'),
  PAYMENT_XENDIT_URL: address('https://api.xendit.co').description('Base address of the payment provider Xendit'),
  PAYMENT_STRIPE_URL: address('https://api.stripe.com').description(
    'Base address of the payment provider Stripe, without a path',
  ),
};

export type ConnectionSettings = {
  calendarUrl: string;
  calendarTokenUrl: string;
  calendarAuthUrl: string;
  calendarClientId?: string;
  calendarClientSecret?: string;
  videoUrl: string;
  videoTokenUrl: string;
  shipperUrl: string;
  paymentXenditUrl: string;
  paymentStripeUrl: string;
};
