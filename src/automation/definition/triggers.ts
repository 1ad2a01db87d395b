import Joi from 'joi';
import { ofRules } from '../../platform/events/automation-events.ts';
import { catalogue, eventTypes } from '../../platform/events/catalogue.ts';
import { id } from '../../platform/ids.ts';
import { maxFilters } from '../../platform/listing/filters.ts';
import { maxSearchCharacters } from '../../platform/listing/search.ts';
import { wallTime } from '../../platform/time/wall-time.ts';
import { isTimeZone } from '../../platform/time/zones.ts';
import { type ForEach, subjectTypes, type Trigger } from './definition.ts';

export const maxKeywords = 100;
export const maxChannels = 20;
const longestZone = 64;

/** What a rule, or a wait, can begin with. */
export const ruleEvents = eventTypes.filter((type) => !ofRules.includes(type));

/** What runs are about: also what rules do not act upon, such as a campaign, where an event about it begins one. */
export const runSubjects: string[] = [
  ...new Set([...subjectTypes, ...catalogue.filter(({ type }) => ruleEvents.includes(type)).map(({ subject }) => subject.type)]),
];

const timeZone = Joi.string()
  .max(longestZone)
  .custom((text: string, { error }) => (text.length > longestZone || isTimeZone(text) ? text : error('timezone.unknown')))
  .messages({ 'timezone.unknown': '{{#label}} must be a zone of the IANA database, such as `Asia/Jakarta`' })
  .description("A zone of the IANA database. Left out: the organization's");

const filters = Joi.array().items(Joi.object().unknown()).max(maxFilters);

const forEach = Joi.object<ForEach>({
  kind: Joi.string()
    .pattern(/^[a-z][a-z0-9_]{1,62}$/)
    .required()
    .description('`contact`, `conversation`, `deal`, `task`, or a kind of records'),
  filters: filters.description('As the list of this kind has them: `{field, operator, value}`, all of which must hold'),
  any: Joi.array().items(filters.min(1)).max(maxFilters).description('Groups of filters, of each of which one must hold'),
  search: Joi.string().max(maxSearchCharacters).description('As the list of this kind searches'),
  tags: Joi.array().items(Joi.string().min(1).max(64)).max(50).description('Of contacts, who have all of them'),
  segment_ids: Joi.array().items(id).max(20).unique().description('Of contacts, who are in one of them'),
});

/** What happened, as POST /v1/automation/events names it. */
const apiName = Joi.string()

  .min(1)
  .max(100)
  .pattern(/^[\w.:-]+$/)
  .messages({ 'string.pattern.base': '{{#label}} must be of letters, digits and `_ . : -`' });

/** A date field of a record, or one of its columns that is a time. */
const fieldName = Joi.string().min(1).max(256);

type Shape = { description: string; schema: Joi.ObjectSchema; example: Trigger };

const shapes: Record<Trigger['type'], Shape> = {
  event: {
    description: 'An event of the catalogue. A run is about what the event is about',
    schema: Joi.object({
      event: Joi.string()
        .valid(...ruleEvents)
        .required()
        .description('A type of `events`'),
    }),
    example: { type: 'event', event: 'deal.stage_changed' },
  },
  keyword: {
    description: 'An inbound message with one of the words; case and accents do not matter. A stop word never starts a rule',
    schema: Joi.object({
      match: Joi.string()
        .valid('exact', 'contains', 'starts_with')
        .required()
        .description('The whole message is it, contains it, or begins with it'),
      keywords: Joi.array().items(Joi.string().trim().min(1).max(200)).min(1).max(maxKeywords).unique().required(),
      channel_ids: Joi.array().items(id).min(1).max(maxChannels).unique().description('Left out: all channels'),
    }),
    example: { type: 'keyword', match: 'exact', keywords: ['price', 'prices'] },
  },
  schedule: {
    description: 'Again and again, by a cron; with `for_each` a run for each subject of a list, else one run without a subject',
    schema: Joi.object({
      cron: Joi.string()

        .max(200)
        .required()
        .description(
          'Five fields: minute, hour, day of the month, month, day of the week. A time that the clock leaves out falls at the moment of its change, one that it shows twice falls once',
        ),
      timezone: timeZone,
      for_each: forEach.description('A stored listing of at most 100,000; each of its rows is the subject of a run'),
    }),
    example: { type: 'schedule', cron: '0 9 * * 1', for_each: { kind: 'contact', tags: ['vip'] } },
  },
  date: {
    description: 'So many days before or after a date field of each contact, deal, task or record, at a time of day',
    schema: Joi.object({
      kind: Joi.string()
        .pattern(/^[a-z][a-z0-9_]{1,62}$/)
        .required()
        .description('`contact`, `deal`, `task`, or a kind of records'),
      field: fieldName.required().description('Such as `custom_fields.birthday`, `expected_close_at`, `due_at`'),
      offset_days: Joi.number().integer().min(-365).max(365).description('Days after the date, below 0 before it. Default: 0'),
      at: Joi.string().max(5).pattern(wallTime, 'a time as HH:MM').description('Default: 09:00'),
      timezone: timeZone,
      repeat: Joi.string().valid('once', 'yearly').description('`yearly`: a birthday. Default: `once`'),
    }),
    example: { type: 'date', kind: 'contact', field: 'custom_fields.birthday', at: '09:00', repeat: 'yearly' },
  },
  manual: {
    description: 'Somebody begins it, by POST /v1/automation/rules/{id}/run or by a step `start_rule` of another rule',
    schema: Joi.object({
      subject: Joi.string()
        .valid(...subjectTypes)
        .description('What its runs are about. Left out: anything'),
    }),
    example: { type: 'manual', subject: 'contact' },
  },
  api: {
    description: 'A system of yours tells it, by POST /v1/automation/events',
    schema: Joi.object({ name: apiName.required().description('The name that it tells') }),
    example: { type: 'api', name: 'trial_started' },
  },
};

const entries = Object.entries(shapes) as [Trigger['type'], Shape][];

/** Each with its `type`. */
export const triggers = new Map<string, Shape>(
  entries.map(([type, shape]) => {
    const schema = Joi.object({ type: Joi.string().valid(type).required() })
      .concat(shape.schema)
      .label('trigger');
    return [type, { ...shape, schema }];
  }),
);

/** Of the events that a live rule listens to: evaluated when the event is recorded. Null: it begins with none. */
export function eventTypeOf(trigger: Trigger): string | null {
  if (trigger.type === 'event') return trigger.event;
  if (trigger.type === 'keyword') return 'message.new';
  return trigger.type === 'api' ? 'automation.event' : null;
}
