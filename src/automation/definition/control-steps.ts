import Joi from 'joi';
import { isLiquid } from '../../liquid/parse.ts';
import { toMoment } from '../../platform/time/moment.ts';
import { maxSteps, maxWaitDays } from '../limits.ts';
import type { ControlStep, Duration } from './definition.ts';
import { ruleEvents } from './triggers.ts';

const unitMs = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1_000 } as const;
const units = Object.keys(unitMs) as (keyof Duration)[];

export const durationMs = (duration: Duration): number =>
  units.reduce((sum, unit) => sum + (duration[unit] ?? 0) * unitMs[unit], 0);

const maxWaitMs = maxWaitDays * unitMs.days;

const duration = Joi.object(
  Object.fromEntries(
    units.map((unit) => [
      unit,
      Joi.number()
        .integer()
        .min(0)
        // Each alone may be too long as well: the sum says so.
        .max(maxWaitMs / 1_000),
    ]),
  ),
)
  .custom((given: Duration, { error }) => {
    const ms = durationMs(given);
    if (Number.isFinite(ms) && ms <= 0) return error('wait.too_short');
    return ms > maxWaitMs ? error('wait.too_long') : given;
  })
  .messages({
    'wait.too_short': '{{#label}} must be at least a second',
    'wait.too_long': `{{#label}} must be at most ${maxWaitDays} days`,
  })
  .description(`The sum of \`days\`, \`hours\`, \`minutes\` and \`seconds\`: at least a second, at most ${maxWaitDays} days`);

const until = Joi.string()

  .max(4_096)
  .custom((text: string, { error }) => (isLiquid(text) || toMoment(text) !== undefined ? text : error('string.isoDate')))
  .description('A time in ISO 8601, or Liquid that gives one, such as `{{ deal.expected_close_at }}`');

const recheck = Joi.boolean()
  .strict()
  .description("Default: true, the rule's conditions are asked again afterwards, and end the run if they do not hold any more");

/** Read by the walk over all steps. */
const steps = Joi.array().max(maxSteps);
const conditions = Joi.any().description('`{all: […]}`, `{any: […]}`, `{not: …}` or `{field, operator, value}`');

type Shape = { description: string; schema: Joi.ObjectSchema; example: ControlStep };

const shapes: Record<ControlStep['type'], Shape> = {
  wait: {
    description: 'Waits for a time, or until a time',
    schema: Joi.object({
      for: duration,
      until,
      business_hours: Joi.boolean().strict().description("Goes on only within the organization's business hours"),
      recheck,
    }).xor('for', 'until'),
    example: { id: 'a_day', type: 'wait', for: { days: 1 } },
  },
  wait_for: {
    description: 'Waits for an event about the subject of the run, or until the timeout',
    schema: Joi.object({
      event: Joi.string()
        .valid(...ruleEvents)
        .required()
        .description('A type of `events`'),
      conditions: conditions.allow(null),
      timeout: duration.required(),
      recheck,
      on_event: steps.description('What happens when the event came, before the next step'),
      on_timeout: steps.description('What happens when it did not, before the next step'),
    }),
    example: { id: 'reply', type: 'wait_for', event: 'message.new', timeout: { hours: 24 } },
  },
  branch: {
    description: 'Takes the first branch whose conditions hold, or `else`',
    schema: Joi.object({
      branches: Joi.array()
        .items(
          Joi.object({
            conditions: conditions.invalid(null).required(),
            steps: steps.required(),
          }),
        )
        .min(1)
        .max(maxSteps)
        .required(),
      else: steps,
    }),
    example: {
      id: 'by_tag',
      type: 'branch',
      branches: [{ conditions: { field: 'contact.tags', operator: 'eq', value: 'vip' }, steps: [] }],
      else: [],
    },
  },
  stop: {
    description: 'Ends the run, which has succeeded',
    schema: Joi.object({ reason: Joi.string().max(500) }),
    example: { id: 'enough', type: 'stop', reason: 'Is a customer already' },
  },
  set_vars: {
    description: 'Keeps values that later steps read as `vars.<name>`',
    schema: Joi.object({
      vars: Joi.object()
        .pattern(/^[a-z][a-z0-9_]{0,62}$/, Joi.any())
        .min(1)
        .max(50)
        .required()
        .description('Any JSON; texts in it may be Liquid'),
    }),
    example: { id: 'keep', type: 'set_vars', vars: { first_name: '{{ contact.name | split: " " | first }}' } },
  },
};

export const stepIdPattern = /^[a-z][a-z0-9_]{0,62}$/;
export const stepId = Joi.string()
  .pattern(stepIdPattern)
  .required()
  .messages({
    'string.pattern.base': '{{#label}} must begin with a small letter, then small letters, digits and `_`, 63 at most',
  })
  .description('Unique in the rule. Later steps read what this one gives as `steps.<id>`');

const entries = Object.entries(shapes) as [ControlStep['type'], Shape][];

/** `schema`: with its `id` and `type`; `own`: without. */
export const controlSteps = new Map<string, Shape & { own: Joi.ObjectSchema }>(
  entries.map(([type, shape]) => {
    const schema = Joi.object({ id: stepId, type: Joi.string().valid(type).required() }).concat(shape.schema);
    return [type, { ...shape, schema, own: shape.schema }];
  }),
);
