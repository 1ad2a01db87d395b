import Joi from 'joi';
import { bookingModes, bookingSources } from '../../src/commerce/bookings/booking.entity.ts';
import { isMoment } from '../../src/platform/time/moment.ts';
import { id, timeZone } from '../http/schemas.ts';

const httpsLink = /^https:\/\/[^\s/?#@]+([/?#]\S*)?$/i;

const isHttpsLink = (text: string) => httpsLink.test(text) && URL.canParse(text);

/** A booking as it is asked for; a draft holds the same. */
export const bookingFields = {
  service_id: id,
  staff_id: id.description('Who does it. Default: the first of the service who is free'),
  starts_at: Joi.string()
    .max(40)
    .custom((text: string, { error }) => (isMoment(text) ? text : error('string.isoDate')))
    .description('ISO 8601 with its zone; one of the slots of the service'),
  mode: Joi.string()
    .valid(...bookingModes)
    .description('Default: `video` for a service with a conference, else `in_person`'),
  timezone: timeZone.description("The customer's zone of the IANA database. Default: that of who does it"),
  video_conference_override: Joi.string()
    .max(2_000)
    .custom((text: string, { error }) =>
      ['none', 'calendar', 'video'].includes(text) || isHttpsLink(text)
        ? text
        : error('string.uriCustomScheme', { scheme: 'https' }),
    )
    .messages({ 'string.uriCustomScheme': '{{#label}} must be none, calendar, video or an https link' })
    .description('`none`, `calendar`, `video` or an https link. Default: as the service says'),
};

export const bookingSource = Joi.string()
  .valid(...bookingSources)
  .default('api')
  .description('Who asked for this time');
