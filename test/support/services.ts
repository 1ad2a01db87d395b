import { videoTokenPath } from '../../sandbox/oauth/router.ts';
import { calendarClient } from '../../sandbox/tokens.ts';

/** The services behind connections, at the sandbox. */
export const services = (url: string): Record<string, string> => ({
  CALENDAR_URL: `${url}/calendar/v3`,
  CALENDAR_TOKEN_URL: `${url}/oauth2/token`,
  CALENDAR_AUTH_URL: `${url}/oauth2/auth`,
  CALENDAR_CLIENT_ID: calendarClient.id,
  CALENDAR_CLIENT_SECRET: calendarClient.secret,
  VIDEO_URL: `${url}/video/v2`,
  VIDEO_TOKEN_URL: `${url}${videoTokenPath}`,
  SHIPPER_URL: `${url}/shipper`,
  PAYMENT_XENDIT_URL: `${url}/xendit`,
  PAYMENT_STRIPE_URL: url,
});
