import Joi from 'joi';
import { exampleIdOf, exampleIds as ids } from '../examples.ts';
import { type EventContract, event } from './event.ts';

const id = (description: string) => Joi.string().required().description(description);
const organization = { organization_id: id('Its organization') };
const rule = { rule_id: id('The rule'), ...organization };
const ruleSubject = { type: 'automation_rule', id: 'rule_id' as const };
const ruleExample = { rule_id: exampleIdOf('rule'), organization_id: ids.organization };

/** The one event of automation that begins a rule: the others are about rules, and a rule about rules would have no end. */
export const automationEvent = event({
  type: 'automation.event',
  description: 'Something happened in a system of yours, which it told by POST /v1/automation/events',
  subject: { type: 'contact', id: 'contact_id' as const },
  data: Joi.object({
    contact_id: id('The contact it is about'),
    name: id('What happened'),
    ...organization,
    data: Joi.object().required().description('As it was told'),
  }),
  example: { contact_id: ids.contact, name: 'trial_started', organization_id: ids.organization, data: { plan: 'pro' } },
});

export const runFailed = event({
  type: 'automation.run.failed',
  description: 'A run of a rule failed; it can be retried from the step that failed',
  subject: { type: 'automation_run', id: 'run_id' as const },
  data: Joi.object({
    run_id: id('The run'),
    ...rule,
    version: Joi.number().integer().required().description('Of the rule'),
    step: Joi.string().allow('').required().description('The id of the step that failed; empty: none had begun'),
    code: id('Why, as a code'),
    subject_type: id('contact, conversation, deal, task, record, organization'),
    subject_id: id('What the run is about'),
  }),
  example: {
    run_id: exampleIdOf('run'),
    ...ruleExample,
    version: 3,
    step: 'tell_crm',
    code: 'outcome_unknown',
    subject_type: 'contact',
    subject_id: ids.contact,
  },
});

export const rulePaused = event({
  type: 'automation.rule.paused',
  description: 'A rule paused: by somebody, or by itself, as when its runs only failed',
  subject: ruleSubject,
  data: Joi.object({
    ...rule,
    reason: Joi.string().allow('').required().description('only_fails, not_valid, schedule_failed; empty: somebody paused it'),
  }),
  example: { ...ruleExample, reason: 'only_fails' },
});

export const ruleHeld = event({
  type: 'automation.rule.held',
  description: 'Starts of a rule were held back, told once an hour',
  subject: ruleSubject,
  data: Joi.object({
    ...rule,
    reason: id('loop, chain_too_long, too_often, rule_too_often, subject_busy, too_many_runs'),
    count: Joi.number().integer().required().description('Since it was last told'),
  }),
  example: { ...ruleExample, reason: 'too_often', count: 42 },
});

/** About rules and runs: they begin no rule. */
export const ofRules = [runFailed.type, rulePaused.type, ruleHeld.type];

export const automationEvents = [automationEvent, runFailed, rulePaused, ruleHeld] as unknown as EventContract[];
