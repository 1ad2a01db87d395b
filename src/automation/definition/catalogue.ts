import type Joi from 'joi';
import { blockTags } from '../../liquid/engine.ts';
import { allowedFilters } from '../../liquid/filters.ts';
import { maxText, maxTogether } from '../../liquid/limits.ts';
import type { Scope } from '../../organizations/scopes.ts';
import { catalogue as events } from '../../platform/events/catalogue.ts';
import { type Operator, operators } from '../../platform/listing/operators.ts';
import type { Action } from '../actions/action.ts';
import type { ListedField } from '../conditions/fields.ts';
import * as limits from '../limits.ts';
import { controlSteps } from './control-steps.ts';
import { concurrencies, subjectTypes, type Trigger } from './definition.ts';
import { limitsSchema } from './read.ts';
import { subjectFields } from './subject-fields.ts';
import { eventTypeOf, ruleEvents, triggers } from './triggers.ts';

/** A step, with the schema of its own fields beside `id` and `type`. `kind`: `control`, `database` or `call`. */
export type ListedStep = {
  type: string;
  kind: string;
  description: string;
  scopes: Scope[];
  schema: Joi.ObjectSchema;
  example: Record<string, unknown>;
};

const ownOperators = [
  { name: 'changed', value: 'none', description: 'The event says that this field changed' },
  { name: 'changed_from', value: 'one', description: 'It changed, and was this before' },
  { name: 'changed_to', value: 'one', description: 'It changed, and is this now' },
  { name: 'within_business_hours', value: 'none', description: "The time is within the organization's business hours" },
];

/** How many values each takes. */
const values: Partial<Record<Operator, string>> = {
  in: 'many',
  not_in: 'many',
  between: 'two',
  is_empty: 'none',
  is_not_empty: 'none',
};
const ofLists = operators.map((name) => ({ name, value: values[name] ?? 'one', description: 'As the filters of the lists' }));

/** What a rule can be made of: enough to build a form for one. Schemas are Joi's. */
export const catalogueOf = (actions: ReadonlyMap<string, Action>, fields: ListedField[]) => ({
  triggers: [...triggers].map(([type, { description, schema, example }]) => ({
    type,
    description,
    // A trigger of any event has the one that it names.
    event: type === 'event' ? null : eventTypeOf(example as Trigger),
    schema,
    example,
  })),
  events: events
    .filter(({ type }) => ruleEvents.includes(type))
    .map(({ type, description, subject, data, example }) => ({ type, description, subject: subject.type, data, example })),
  conditions: {
    fields,
    operators: [...ofLists, ...ownOperators],
    groups: ['all', 'any', 'not'],
    max_depth: limits.maxDepth,
    max_conditions: limits.maxConditions,
  },
  steps: [...controlsListed(), ...[...actions.values()].map(actionListed)],
  liquid: {
    variables: { ...subjectFields, event: [], record: [], vars: [], steps: [], secrets: [] },
    tags: [...blockTags, 'assign'],
    filters: allowedFilters,
    max_characters: maxText,
    max_characters_of_step: maxTogether.characters,
    max_characters_of_rule: limits.maxLiquid,
  },
  subject_types: [...subjectTypes],
  concurrency: [...concurrencies],
  limits: {
    schema: limitsSchema,
    rules: limits.maxRules,
    definition_bytes: limits.maxDefinitionBytes,
    steps: limits.maxSteps,
    depth: limits.maxDepth,
    wait_days: limits.maxWaitDays,
    for_each: limits.maxForEach,
    live_runs: limits.maxLiveRuns,
    steps_of_run: limits.maxStepsOfRun,
    chain: limits.maxChain,
    starts_per_hour: limits.maxStartsAnHour,
    rule_starts_per_hour: limits.maxRuleStartsAnHour,
    failures_in_a_row: limits.maxFailuresInARow,
    sealed_values: limits.maxSecrets,
    event_bytes: limits.maxApiEventBytes,
  },
});

const controlsListed = (): ListedStep[] =>
  [...controlSteps].map(([type, { description, own, example }]) => ({
    type,
    kind: 'control',
    description,
    scopes: [],
    schema: own,
    example,
  }));

const actionListed = ({ type, kind, description, scopes, fields, example }: Action): ListedStep => ({
  type,
  kind,
  description,
  scopes,
  schema: fields,
  example: { id: type, type, ...example },
});
