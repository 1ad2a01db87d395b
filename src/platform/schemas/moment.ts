import Joi from 'joi';
import { now } from '../time/clock.ts';
import { type DayEdge, isPlainDay, momentOfDay } from '../time/day-edge.ts';
import { isMoment, momentMs, toMoment } from '../time/moment.ts';

/** What a schema needs to read a day: validated without it, a day fails as `moment.zone`. */
export type ZoneContext = { timezone: string };
/** To check values that are read later: a day is one in any zone. */
export const anyZone: ZoneContext = { timezone: 'UTC' };

const needsZone = 'moment.zone';
export const isZoneMissing = ({ details }: Joi.ValidationError): boolean => details.some(({ type }) => type === needsZone);

const momentAt = (edge: DayEdge) =>
  Joi.string()
    .max(40)
    .custom((text: string, { error, prefs }) => {
      if (!isPlainDay(text)) return toMoment(text) ?? error('string.isoDate');
      const { timezone } = (prefs.context ?? {}) as Partial<ZoneContext>;
      if (timezone === undefined) return error(needsZone);
      return momentOfDay(text, timezone, edge) ?? error('string.isoDate');
    })
    .messages({ [needsZone]: '{{#label}} needs a time with its zone' });

export const momentForm = "ISO 8601 with its zone, or a day, which stands for its first millisecond in the organization's zone";

/** A time that a client names. */
export const moment = momentAt('start').description(momentForm);

export const endForm = "ISO 8601 with its zone, or a day, which stands for its last millisecond in the organization's zone";

/** The end of something, to which the whole day belongs. */
export const endMoment = momentAt('end').description(endForm);

/** As a Date. Today has not ended. */
export const futureEnd = endMoment
  .custom((text: string, { error }) => {
    if (!isMoment(text)) return text;
    const at = new Date(momentMs(text));
    return at.getTime() > now() ? at : error('date.greater');
  })
  .messages({ 'date.greater': '{{#label}} must be in the future' });
