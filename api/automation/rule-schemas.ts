import Joi from 'joi';
import { concurrencies } from '../../src/automation/definition/definition.ts';
import { maxDefinitionBytes, maxSteps } from '../../src/automation/limits.ts';
import { maxName } from '../../src/automation/rules/create.ts';
import { ruleModes } from '../../src/automation/states.ts';
import { exampleIdOf } from '../../src/platform/examples.ts';
import { path, tag } from './automation-schemas.ts';

export const rulesPath = `${path}/rules` as const;
export const oneRule = `${rulesPath}/:ruleID` as const;
export const aboutRule = { tag, subject: 'Rule', audit: 'automation_rule' } as const;

/** One line: it is shown in lists. */
export const name = Joi.string()
  .trim()
  .min(1)
  .max(maxName)
  .pattern(/^[^\p{Cc}\p{Zl}\p{Zp}]*$/u)
  .messages({ 'string.pattern.base': '{{#label}} must be one line without control characters' });

export const mode = Joi.string()
  .valid(...ruleModes)
  .description('`log`: its runs take their way and do nothing; each step shows what it would have done. Changes at once');

/** Only so large: what stands in it is read by the rule itself, which finds all faults and not the first. */
const object = () => Joi.object().unknown().max(100);

/** `GET /v1/automation/catalogue` has each of them as JSON Schema. */
export const definitionFields = {
  trigger: object().description(
    'What it begins with, such as `{"type": "event", "event": "contact.created"}`; `keyword`, `schedule`, `date`, `manual`, `api`',
  ),
  conditions: object()
    .allow(null)
    .description(
      'Asked before it begins, and again after each wait: `{field, operator, value}`, `all`, `any`, `not`; null: always',
    ),
  steps: Joi.array()
    .items(object())
    .max(1_000)
    .description(`What it does, one after the other: at most ${maxSteps}, those of branches included`),
  concurrency: Joi.string()
    .valid(...concurrencies)
    .description(
      'While a run about the same subject has not ended: `skip` begins no other, `restart` cancels it, `each` begins one more',
    ),
  exit_when: object().allow(null).description('Conditions, asked after each wait: a run ends where they hold'),
  limits: object().description(
    '`starts_per_hour` for one subject, `rule_starts_per_hour` for all together, `steps` of a run, `allow_reentry`',
  ),
};

export const ofDefinition = `The trigger, conditions and steps together are at most ${maxDefinitionBytes / 1024} kB. Their shape is checked, and each fault is a detail with its path; what they name is looked for when the rule is published. Whoever saves or publishes it needs every scope that its actions use.`;

export const exampleDefinition = {
  trigger: { type: 'event', event: 'contact.created' },
  conditions: { field: 'contact.email', operator: 'is_not_empty' },
  steps: [{ id: 'welcome', type: 'add_tag', tag: 'new' }],
  concurrency: 'skip',
  exit_when: null,
  limits: { starts_per_hour: 2 },
};
export const exampleName = 'Welcome';
export const exampleRuleId = exampleIdOf('rule');
