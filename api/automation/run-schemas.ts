import Joi from 'joi';
import type { RunRow } from '../../src/automation/runs/columns.ts';
import type { StepRow, WholeRun } from '../../src/automation/runs/get.ts';
import { cancelReasons, ruleModes, runStates, runTriggers, stepStates } from '../../src/automation/states.ts';
import type { Caller } from '../../src/organizations/caller.ts';
import { AppError } from '../../src/platform/errors.ts';
import { exampleIdOf, exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'Automation';
export const aboutRun = { tag, subject: 'Run', audit: 'automation_run' };

const seesPeople = ({ scopes }: Caller) => scopes.has('contacts:read');

/** What a step was given and gave is of people. Throws 403. */
export function assertSeesPeople(caller: Caller): void {
  if (!seesPeople(caller)) throw new AppError('forbidden', "A run's steps tell of contacts: this takes contacts:read too");
}

const text = Joi.string().allow('').required();
const count = Joi.number().integer().required();
const at = (what: string) => timestamp.allow(null).required().description(what);
const error = Joi.object({
  code: Joi.string().required(),
  message: text.description('Empty without `contacts:read`'),
  provider_code: Joi.string().allow(null),
})
  .allow(null)
  .required();

const runFields = {
  id: id.required(),
  rule_id: id.required(),
  version: count.description('Of the rule: the run keeps the one it began with'),
  mode: Joi.string()
    .valid(...ruleModes)
    .required()
    .description('`log`: it takes its way, and does nothing'),
  state: Joi.string()
    .valid(...runStates)
    .required()
    .description('A run that waits is `running`'),
  trigger: Joi.string()
    .valid(...runTriggers)
    .required(),
  event_id: id.allow(null).required().description('The event it began with'),
  occurs_at: at('The moment of a schedule or of a date'),
  subject_type: text.description(
    'contact, conversation, deal, task, record or organization; of an event about something else that, such as campaign',
  ),
  subject_id: id.required(),
  contact_id: id.allow(null).required().description('The person it is about; null: nobody, or the contact was erased'),
  steps_run: count.description('Steps it has taken'),
  waiting_for: Joi.string().allow(null).required().description('The type of the step it waits in'),
  wakes_at: at('When it goes on at the latest'),
  failed_step: Joi.string().allow(null).required().description('The id of the step that failed'),
  error,
  reason: text.description(
    `Why it was cancelled: ${cancelReasons.join(', ')}; or what a \`stop\` step says, empty without \`contacts:read\``,
  ),
  retries: count,
  started_by: text.description('Of a manual one the caller, of `start_rule` the run'),
  started_at: at('When its first step began'),
  ended_at: at('When it succeeded, failed or was cancelled'),
  created_at: timestamp.required(),
};

const exampleRun = {
  id: exampleIdOf('run'),
  rule_id: exampleIdOf('rule'),
  version: 3,
  mode: 'live',
  state: 'failed',
  trigger: 'event',
  event_id: exampleIds.event,
  occurs_at: null,
  subject_type: 'contact',
  subject_id: exampleIds.contact,
  contact_id: exampleIds.contact,
  steps_run: 2,
  waiting_for: null,
  wakes_at: null,
  failed_step: 'tell_crm',
  error: { code: 'outcome_unknown', message: 'The answer was lost' },
  reason: '',
  retries: 0,
  started_by: '',
  started_at: exampleTime,
  ended_at: exampleTime,
  created_at: exampleTime,
};

export const runView = view('automation_run', Joi.object(runFields), exampleRun);

const anything = Joi.any().required();
const step = Joi.object({
  number: count.description('Its place among the steps the run took'),
  step_id: text,
  type: text,
  state: Joi.string()
    .valid(...stepStates)
    .required()
    .description('`calling`: a call outside was begun and has not answered. `skipped`: in mode `log`'),
  attempt: count,
  input: anything.description('As it was rendered. A secret shows its name. null: none, or the contact was erased'),
  output: anything.description('What later steps read of it. null: none, or the contact was erased'),
  error,
  started_at: timestamp.required(),
  ended_at: at('null: it has not ended'),
});

const exampleStep = {
  number: 1,
  step_id: 'greet',
  type: 'send_message',
  state: 'done',
  attempt: 1,
  input: { type: 'text', text: { body: 'Welcome, Ann' } },
  output: { message_id: exampleIds.message },
  error: null,
  started_at: exampleTime,
  ended_at: exampleTime,
};

export const wholeRunView = view(
  'automation_run_with_steps',
  Joi.object({
    ...runFields,
    vars: Joi.object().required().description('Set by `set_vars` and by whoever began it'),
    steps: Joi.array().items(step).required().description('In the order in which they were taken'),
  }),
  { ...exampleRun, vars: {}, steps: [exampleStep] },
);

const isoOrNull = (time: string | null) => time && iso(time);

/** Why it was cancelled is a word of ours; any other reason, and what an error says, may tell of a person. */
const wordsFor = (caller: Caller, { state, reason, error }: RunRow) =>
  seesPeople(caller)
    ? { reason, error }
    : { reason: state === 'cancelled' ? reason : '', error: error && { ...error, message: '' } };

export const toRunView = (caller: Caller) => (row: RunRow) => {
  const { occurs_at, wakes_at, started_at, ended_at, created_at, ...run } = row;
  return {
    ...run,
    ...wordsFor(caller, row),
    occurs_at: isoOrNull(occurs_at),
    wakes_at: isoOrNull(wakes_at),
    started_at: isoOrNull(started_at),
    ended_at: isoOrNull(ended_at),
    created_at: iso(created_at),
  };
};

const toStepView = ({ started_at, ended_at, ...row }: StepRow) => ({
  ...row,
  started_at: iso(started_at),
  ended_at: isoOrNull(ended_at),
});

export const toWholeRunView = (caller: Caller, { steps, vars, ...run }: WholeRun) => ({
  ...toRunView(caller)(run),
  vars,
  steps: steps.map(toStepView),
});
