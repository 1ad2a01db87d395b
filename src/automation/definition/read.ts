import Joi from 'joi';
import type { ErrorDetail } from '../../platform/errors.ts';
import { maxRuleStartsAnHour, maxStartsAnHour, maxStepsOfRun, usualRuleStartsAnHour } from '../limits.ts';
import { concurrencies, type Definition, type Limits, type Trigger } from './definition.ts';
import { type Kit, readSteps } from './read-steps.ts';
import { inBody, shaped } from './shape.ts';
import { sizeFault } from './size.ts';
import { scheduleFaults } from './trigger-faults.ts';
import { eventTypeOf, triggers } from './triggers.ts';
import { eventAmong, eventsOf } from './variables.ts';

export type Read = { definition?: Definition; faults: ErrorDetail[] };

export const limitsSchema = Joi.object<Limits>({
  starts_per_hour: Joi.number()
    .integer()
    .min(1)
    .max(maxStartsAnHour)
    .description(`Starts for one subject in an hour; more are held back. Default: ${maxStartsAnHour}`),
  rule_starts_per_hour: Joi.number()
    .integer()
    .min(1)
    .max(maxRuleStartsAnHour)
    .description(
      `Starts in an hour, whatever the subjects; more are held back. Default: ${usualRuleStartsAnHour} for a rule that calls outside by an event, else none`,
    ),
  steps: Joi.number().integer().min(1).max(maxStepsOfRun).description(`Steps of a run. Default: ${maxStepsOfRun}`),
  allow_reentry: Joi.boolean()
    .strict()
    .description('It may start again from its own effect, up to the limit of a chain. Default: false'),
});

/** The members of a definition; what is in them is read one by one. */
const whole = Joi.object({
  trigger: Joi.object().unknown().required(),
  conditions: Joi.any().default(null),
  steps: Joi.array().default([]),
  concurrency: Joi.string()
    .valid(...concurrencies)
    .default('skip'),
  exit_when: Joi.any().default(null),
  limits: limitsSchema.default({}),
}).required();

/** Pure. All faults at once, each with its path; a definition only where there is none. It reads the same when it is read again. */
export function readWith(kit: Kit, given: unknown): Read {
  const size = sizeFault(given);
  if (size) return { faults: [size] };
  const { value, faults } = shaped(whole.label('definition'), given, []);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return { faults };
  const { conditions, exit_when, steps: givenSteps, ...rest } = value as Record<string, unknown>;
  const trigger = readTrigger(rest.trigger, faults);
  if (trigger) faults.push(...scheduleFaults(trigger, rest.limits as Limits));
  const list = Array.isArray(givenSteps) ? givenSteps : [];
  const events = trigger ? eventsOf(trigger, list) : [];
  const ids = new Set<string>();
  const begin = trigger && eventTypeOf(trigger);
  if (conditions != null) faults.push(...kit.conditionFaults(conditions, ['conditions'], { event: begin, steps: new Set() }));
  const steps = readSteps({ ...kit, events, ids, faults }, list);
  if (exit_when != null) faults.push(...kit.conditionFaults(exit_when, ['exit_when'], { event: eventAmong(events), steps: ids }));
  if (faults.length > 0) return { faults };
  const { concurrency, limits } = rest;
  return { definition: { trigger, conditions, steps, concurrency, exit_when, limits } as Definition, faults };
}

function readTrigger(given: unknown, faults: ErrorDetail[]): Trigger | undefined {
  if (given === null || typeof given !== 'object' || Array.isArray(given)) return undefined;
  const { type } = given as { type?: unknown };
  const known = typeof type === 'string' ? triggers.get(type) : undefined;
  if (!known) {
    faults.push(inBody(['trigger', 'type'], 'trigger.type_unknown', `type must be one of ${[...triggers.keys()].join(', ')}`));
    return undefined;
  }
  const read = shaped(known.schema, given, ['trigger']);
  faults.push(...read.faults);
  return read.faults.length === 0 ? (read.value as Trigger) : undefined;
}
