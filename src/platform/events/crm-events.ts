import Joi from 'joi';
import { exampleIdOf, exampleIds as ids } from '../examples.ts';
import { type EventContract, event } from './event.ts';

/** Ids and the names of fields only: what a field says is read over the API. */
const id = (description: string) => Joi.string().required().description(description);
const idOrNull = (description: string) => Joi.string().allow(null).required().description(description);
const changed = Joi.array().items(Joi.string()).required().description('The fields that changed, by their names in the API');
const organization = { organization_id: id('Its organization') };

const dealSubject = { type: 'deal', id: 'deal_id' as const };
const deal = exampleIdOf('deal');
const stage = exampleIdOf('stage');

const dealState = Joi.object({
  deal_id: id('The deal'),
  ...organization,
  status: id('open, won, lost'),
  stage_id: idOrNull('Its stage; null without a pipeline'),
  changed,
});
const dealStateExample = { deal_id: deal, organization_id: ids.organization, status: 'open', stage_id: stage };

export const dealCreated = event({
  type: 'deal.created',
  description: 'A deal was created, or restored from the bin',
  subject: dealSubject,
  data: dealState,
  example: { ...dealStateExample, changed: ['title', 'amount_minor'] },
});

export const dealUpdated = event({
  type: 'deal.updated',
  description: 'A deal changed: its fields, its contacts or its conversations',
  subject: dealSubject,
  data: dealState,
  example: { ...dealStateExample, changed: ['amount_minor'] },
});

export const dealStageChanged = event({
  type: 'deal.stage_changed',
  description: 'A deal moved to another stage',
  subject: dealSubject,
  data: Joi.object({
    deal_id: id('The deal'),
    ...organization,
    pipeline_id: id('The pipeline of the new stage'),
    from_stage_id: idOrNull('The stage before; null: it had none'),
    to_stage_id: id('The stage now'),
    status: id('open, won, lost'),
  }),
  example: {
    deal_id: deal,
    organization_id: ids.organization,
    pipeline_id: exampleIdOf('pipeline'),
    from_stage_id: exampleIdOf('other stage'),
    to_stage_id: stage,
    status: 'open',
  },
});

export const dealClosed = event({
  type: 'deal.closed',
  description: 'A deal was won or lost',
  subject: dealSubject,
  data: Joi.object({ deal_id: id('The deal'), ...organization, status: id('won, lost') }),
  example: { deal_id: deal, organization_id: ids.organization, status: 'won' },
});

export const dealDeleted = event({
  type: 'deal.deleted',
  description: 'A deal was put into the bin',
  subject: dealSubject,
  data: Joi.object({ deal_id: id('The deal'), ...organization }),
  example: { deal_id: deal, organization_id: ids.organization },
});

const taskSubject = { type: 'task', id: 'task_id' as const };
const taskState = Joi.object({
  task_id: id('The task'),
  ...organization,
  status: id('open, in_progress, done, cancelled'),
  assignee_id: idOrNull('Who has the task; null: nobody'),
  changed,
});
const taskExample = {
  task_id: exampleIdOf('task'),
  organization_id: ids.organization,
  status: 'open',
  assignee_id: ids.user,
  changed: [] as string[],
};

export const taskCreated = event({
  type: 'task.created',
  description: 'A task was created, or restored from the bin',
  subject: taskSubject,
  data: taskState,
  example: { ...taskExample, changed: ['title', 'due_at'] },
});

export const taskUpdated = event({
  type: 'task.updated',
  description: 'A task changed: its fields or its targets',
  subject: taskSubject,
  data: taskState,
  example: { ...taskExample, changed: ['due_at'] },
});

export const taskDue = event({
  type: 'task.due',
  description: 'The time to remind of a task has come: its `remind_at`, else its `due_at`; once for each time set',
  subject: taskSubject,
  data: taskState,
  example: taskExample,
});

export const taskCompleted = event({
  type: 'task.completed',
  description: 'A task was done',
  subject: taskSubject,
  data: taskState,
  example: { ...taskExample, status: 'done', changed: ['status', 'completed_at'] },
});

export const taskDeleted = event({
  type: 'task.deleted',
  description: 'A task was put into the bin',
  subject: taskSubject,
  data: taskState,
  example: taskExample,
});

const recordSubject = { type: 'record', id: 'record_id' as const };
const recordState = Joi.object({
  record_id: id('The record'),
  kind: id('Its kind, such as company'),
  ...organization,
  changed,
});
const recordExample = { record_id: exampleIdOf('record'), kind: 'company', organization_id: ids.organization };

export const recordCreated = event({
  type: 'record.created',
  description: 'A record was created, or restored from the bin',
  subject: recordSubject,
  data: recordState,
  example: { ...recordExample, changed: ['name'] },
});

export const recordUpdated = event({
  type: 'record.updated',
  description: 'A record changed: its fields or its relations',
  subject: recordSubject,
  data: recordState,
  example: { ...recordExample, changed: ['industry'] },
});

export const recordDeleted = event({
  type: 'record.deleted',
  description: 'A record was put into the bin',
  subject: recordSubject,
  data: recordState,
  example: { ...recordExample, changed: [] },
});

const count = (description: string) => Joi.number().integer().required().description(description);

export const crmImported = event({
  type: 'crm.imported',
  description: 'An import of deals or records has ended; what it wrote has no events of its own',
  subject: { type: 'crm_import', id: 'import_id' as const },
  data: Joi.object({
    import_id: id('The import'),
    ...organization,
    object_kind: id('deal, or the kind of the records'),
    created: count('Objects that are new'),
    updated: count('Rows that changed an object'),
    unchanged: count('Rows that changed nothing'),
    failed: count('Rows that were refused'),
  }),
  example: {
    import_id: ids.import,
    organization_id: ids.organization,
    object_kind: 'company',
    created: 990,
    updated: 8,
    unchanged: 0,
    failed: 2,
  },
});

export const crmEvents = [
  dealCreated,
  dealUpdated,
  dealStageChanged,
  dealClosed,
  dealDeleted,
  taskCreated,
  taskUpdated,
  taskDue,
  taskCompleted,
  taskDeleted,
  recordCreated,
  recordUpdated,
  recordDeleted,
  crmImported,
] as unknown as EventContract[];
