import Joi from 'joi';
import { actions } from '../../src/automation/actions/index.ts';
import { type SubjectType, subjectTypes } from '../../src/automation/definition/definition.ts';
import { maxTriedEventBytes } from '../../src/automation/limits.ts';
import { getRule } from '../../src/automation/rules/rule-row.ts';
import { maxShownCharacters, maxShownConditions } from '../../src/automation/runs/shown-conditions.ts';
import { type Tried, tryRule } from '../../src/automation/runs/try-rule.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { aboutRule, oneRule } from './rule-schemas.ts';
import { assertSeesPeople } from './run-schemas.ts';

const text = Joi.string().allow('').required();
const asked = Joi.object({
  holds: Joi.boolean().required(),
  seen: Joi.array()
    .items(
      Joi.object({
        path: text.description('Where it stands, such as `all[0].any[1]`'),
        field: text,
        operator: text,
        value: Joi.any().description('What it asks for'),
        actual: Joi.any().description(
          `What is there. Of more than ${maxShownCharacters} characters the beginning, of a long list or object that of its JSON`,
        ),
        holds: Joi.boolean().required(),
      }),
    )
    .required()
    .description(`Each that was asked; of a test the first ${maxShownConditions} in all`),
});
const fault = Joi.object({ code: Joi.string().required(), message: text }).allow(null).required();
const seen = { path: '', field: 'contact.email', operator: 'is_not_empty', actual: 'ada@example.com', holds: true };

const trialView = view(
  'rule_trial',
  Joi.object({
    is_triggered: Joi.boolean()
      .allow(null)
      .required()
      .description(
        'Whether its trigger begins with the event: its type, its words and channel, its name. Without it no run begins. null: a subject alone',
      ),
    subject_type: text.description('What the run would be about'),
    subject_id: id.required(),
    contact_id: id.allow(null).required(),
    conditions: asked.allow(null).required().description('What each saw; null: the rule has none. Without them no run begins'),
    exit_when: asked.allow(null).required(),
    steps: Joi.array()
      .items(
        Joi.object({
          step_id: text,
          type: text,
          does: Joi.string().valid('act', 'call', 'choose', 'set', 'wait', 'stop').required(),
          within: Joi.object({ step_id: text, list: text.description('`branches[0]`, `else`, `on_event`, `on_timeout`') })
            .allow(null)
            .required()
            .description('The list it stands in; of a step that waits for an event both are shown'),
          input: Joi.any().description('Rendered'),
          is_rendered: Joi.boolean()
            .required()
            .description('False: it reads what a step before would give, or cannot be rendered'),
          branch: Joi.alternatives(Joi.number().integer(), Joi.string().valid('else'))
            .allow(null)
            .description('Which one it takes; null: none'),
          conditions: Joi.array().items(asked).description('Of the branches that were asked'),
          error: fault.description('Why it would be refused, as far as can be known before the steps before it are done'),
        }),
      )
      .required()
      .description('In their order, waits passed'),
  }),
  {
    is_triggered: null,
    subject_type: 'contact',
    subject_id: exampleIds.contact,
    contact_id: exampleIds.contact,
    conditions: { holds: true, seen: [seen] },
    exit_when: null,
    steps: [
      {
        step_id: 'welcome',
        type: 'add_tag',
        does: 'act',
        within: null,
        input: { tag: 'new' },
        is_rendered: true,
        error: null,
      },
    ],
  },
);

export const testOneRule = endpoint({
  tag: aboutRule.tag,
  subject: aboutRule.subject,
  method: 'post',
  path: `${oneRule}/test`,
  operationId: 'automation.rules.test',
  isRead: true,
  scope: 'automation:write',
  summary: 'See what a rule would do',
  description:
    'Its draft, with data as it is now: an event that happened, one that is made up for the test, or a subject alone. Whether its trigger begins with that event, what each condition saw, and what each step would do, rendered. Nothing is written, sent or called, and nothing is waited for. Needs the scope `contacts:read` too, since it shows contacts.',
  body: Joi.object<Tried>({
    event_id: id,
    event: Joi.object({
      type: Joi.string().max(100).required(),
      data: Joi.object()
        .max(100)
        .custom((given: object, { error }) =>
          Buffer.byteLength(JSON.stringify(given)) > maxTriedEventBytes ? error('data.size') : given,
        )
        .messages({ 'data.size': `{{#label}} must not be larger than ${maxTriedEventBytes} bytes as JSON` })
        .required()
        .description('As the event has it, without `organization_id`; at most 32 kB as JSON'),
    }),
    subject: Joi.object({
      type: Joi.string()
        .valid(...(subjectTypes as readonly SubjectType[]))
        .required(),
      id: id.required(),
    }),
  }).xor('event_id', 'event', 'subject'),
  responses: { 200: trialView },
  example: { body: { subject: { type: 'contact', id: exampleIds.contact } } },
  isCounted: true,
  async handler({ params, body, caller, own }, { secrets, config }) {
    const { draft } = await getRule(own, params.ruleID);
    assertSeesPeople(caller);
    return ok(await tryRule({ own, secrets, actions, stopWords: config.stopWords }, params.ruleID, draft, body));
  },
});
