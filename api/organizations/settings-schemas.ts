import Joi from 'joi';
import { customFieldName } from '../../src/contacts/fields.ts';
import type { BusinessHours, FrequencyCap } from '../../src/organizations/organization.entity.ts';
import { type DailyHours, minutesOf, wallTime, wallTimeOfEnd, weekdays } from '../../src/platform/time/wall-time.ts';

const whole = (from: number, to: number) => Joi.number().strict().integer().min(from).max(to);
const time = Joi.string().max(5).pattern(wallTime, 'HH:MM').description('HH:MM');

export const frequencyCap = Joi.object<FrequencyCap>({ max: whole(1, 100).required(), days: whole(1, 365).required() })
  .allow(null)
  .description('At most `max` messages of campaigns to a contact within `days` days, all campaigns together; null: no cap');

export const quietHours = Joi.object<DailyHours>({
  from: time.required(),
  to: time
    .required()
    .custom((to: string, { state, error }) => (wallTime.test(to) && to === state.ancestors[0].from ? error('hours.empty') : to)),
})
  .messages({ 'hours.empty': '{{#label}} must not be the same time as `from`' })
  .allow(null)
  .description(
    'When no campaign writes to a contact, by the clock where the contact is; may pass midnight, from 22:00 to 08:00. Null: none',
  );

export const timezoneField = customFieldName
  .allow(null)
  .description('The custom field of contacts that holds their IANA zone; null: contacts have the zone of the organization');

const maxRanges = 21;

const range = Joi.object({
  day: Joi.string()
    .valid(...weekdays)
    .required(),
  from: time.required(),
  to: Joi.string()
    .max(5)
    .pattern(wallTimeOfEnd, 'HH:MM')
    .required()
    .custom((to: string, { state, error }) =>
      wallTimeOfEnd.test(to) && !isBefore(state.ancestors[0].from, to) ? error('hours.order') : to,
    )
    .description('HH:MM; `24:00` is the end of the day'),
}).custom((own: BusinessHours[number], { state, error }) => {
  const index = Number(state.path?.at(-1));
  // Joi counts a list after its items: without this, a body full of ranges would be compared with itself.
  if (index >= maxRanges) return own;
  const earlier: unknown[] = state.ancestors[0].slice(0, index);
  return earlier.some((other) => overlaps(own, other)) ? error('hours.overlap') : own;
});

export const businessHours = Joi.array()
  .items(range)
  .max(maxRanges)
  .messages({
    'hours.order': '{{#label}} must be after `from`',
    'hours.overlap': '{{#label}} overlaps an earlier range of its day',
  })
  .description('When somebody answers, by the clock of the organization. The ranges of a day do not overlap');

/** What is no time has a fault of its own. */
const isBefore = (from: unknown, to: string) =>
  typeof from !== 'string' || !wallTime.test(from) || minutesOf(from) < minutesOf(to);

const overlaps = (own: BusinessHours[number], other: unknown) => {
  const { day, from, to } = (other ?? {}) as Partial<Record<string, unknown>>;
  return own.day === day && minutesOf(own.from) < minutesOf(String(to)) && minutesOf(String(from)) < minutesOf(own.to);
};
