import { setImmediate as turnOfOthers } from 'node:timers/promises';
import Joi from 'joi';
import { actions } from '../../src/automation/actions/index.ts';
import { conditionFields } from '../../src/automation/conditions/fields.ts';
import { catalogueOf } from '../../src/automation/definition/catalogue.ts';
import { loadTypes } from '../../src/records/types/object-type.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { schemaOf } from '../http/openapi/json-schema.ts';
import { view } from '../http/view.ts';
import { path, tag } from './automation-schemas.ts';

const text = Joi.string().allow('').required();
const names = Joi.array().items(Joi.string()).required();
const jsonSchema = Joi.object().unknown().required().description('JSON Schema, 2020-12');
const example = Joi.object().unknown().required();
const number = Joi.number().integer().required();

const catalogueView = view(
  'automation_catalogue',
  Joi.object({
    triggers: Joi.array()
      .items(
        Joi.object({
          type: text,
          description: text,
          event: Joi.string().allow(null).required().description('The type of the event that its runs are about'),
          schema: jsonSchema,
          example,
        }),
      )
      .required(),
    events: Joi.array()
      .items(
        Joi.object({
          type: text,
          description: text,
          subject: text.description('What it is about'),
          data: jsonSchema,
          example,
        }),
      )
      .required()
      .description('What rules begin with, and wait for. Their data are `event.<name>`'),
    conditions: Joi.object({
      fields: Joi.array()
        .items(
          Joi.object({
            name: text.description('`<key>` stands for any key'),
            type: text,
            operators: names,
            values: Joi.array().items(Joi.string()).description('One of these'),
          }),
        )
        .required(),
      operators: Joi.array()
        .items(
          Joi.object({
            name: text,
            value: Joi.string().valid('none', 'one', 'two', 'many').required().description('What it compares with'),
            description: text,
          }),
        )
        .required(),
      groups: names.description('`all` and `any` hold a list of conditions, `not` one'),
      max_depth: number,
      max_conditions: number,
    }).required(),
    steps: Joi.array()
      .items(
        Joi.object({
          type: text,
          kind: Joi.string()
            .valid('control', 'database', 'call')
            .required()
            .description('`control` decides what comes next; `database` steps in a row are one transaction; `call` asks outside'),
          description: text,
          scopes: names.description('Whoever saves or publishes a rule with it needs them'),
          schema: jsonSchema.description('Of its fields beside `id` and `type`. A text, number, boolean or list may be Liquid'),
          example,
        }),
      )
      .required(),
    liquid: Joi.object({
      variables: Joi.object()
        .pattern(Joi.string(), names)
        .required()
        .description('Names that texts may begin with, and the fields of each; none: any. `secrets` in calls only'),
      tags: names,
      filters: names,
      max_characters: number,
      max_characters_of_step: number,
      max_characters_of_rule: number,
    }).required(),
    subject_types: names,
    concurrency: names,
    limits: Joi.object({
      schema: jsonSchema.description('Of `limits` of a rule'),
      rules: number,
      definition_bytes: number,
      steps: number,
      depth: number,
      wait_days: number,
      for_each: number,
      live_runs: number,
      steps_of_run: number,
      chain: number,
      starts_per_hour: number,
      rule_starts_per_hour: number,
      failures_in_a_row: number,
      sealed_values: number.description('Secrets of an organization'),
      event_bytes: number,
    }).required(),
  }),
  catalogueIn(shortened(catalogueOf(actions, conditionFields().slice(0, 1)))),
);

type Whole = ReturnType<typeof catalogueOf>;

/** With JSON Schemas for Joi's. */
function catalogueIn(given: Whole) {
  const { triggers, events, steps, limits } = given;
  return {
    ...given,
    triggers: triggers.map((one) => ({ ...one, schema: schemaOf(one.schema, 'input') })),
    events: events.map((one) => ({ ...one, data: schemaOf(one.data, 'output') })),
    steps: steps.map(stepIn),
    limits: { ...limits, schema: schemaOf(limits.schema, 'input') },
  };
}

function stepIn(one: Whole['steps'][number]) {
  return { ...one, schema: schemaOf(one.schema, 'input') };
}

/** An example of each. */
function shortened(whole: Whole): Whole {
  const { triggers, events, conditions, steps, liquid } = whole;
  return {
    ...whole,
    triggers: triggers.slice(0, 1),
    events: events.slice(0, 1),
    conditions: { ...conditions, operators: conditions.operators.slice(0, 1) },
    steps: steps.filter(({ type }) => type === 'add_tag'),
    liquid: { ...liquid, filters: liquid.filters.slice(0, 3) },
  };
}

let ofAll: Promise<ReturnType<typeof catalogueIn>> | undefined;

/** The same for all organizations, but for the fields of conditions. The schemas of all steps take some 100 ms, once: other work comes between. */
async function wholeCatalogue() {
  const { steps, ...rest } = catalogueOf(actions, []);
  const listed: ReturnType<typeof stepIn>[] = [];
  for (const step of steps) {
    listed.push(stepIn(step));
    await turnOfOthers();
  }
  return { ...catalogueIn({ ...rest, steps: [] }), steps: listed };
}

export const automationCatalogue = endpoint({
  tag,
  method: 'get',
  path: `${path}/catalogue`,
  operationId: 'automation.catalogue',
  scope: 'automation:read',
  summary: 'What a rule can be made of',
  description:
    'Triggers, events, fields and operators of conditions, steps, what Liquid may do, and the limits: enough to build a form for rules. The fields that kinds of records declare are among the fields of conditions for who has the scope `crm_schema:read`.',
  responses: { 200: catalogueView },
  handler: async ({ caller, own }) => {
    const types = caller.scopes.has('crm_schema:read') ? await loadTypes(own) : [];
    ofAll ??= wholeCatalogue();
    const { conditions, ...rest } = await ofAll;
    return ok({ ...rest, conditions: { ...conditions, fields: conditionFields(types) } });
  },
});
