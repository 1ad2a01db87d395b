import Joi from 'joi';
import { runSubjects } from '../../src/automation/definition/triggers.ts';
import type { RunFilter } from '../../src/automation/runs/filter.ts';
import { getRun } from '../../src/automation/runs/get.ts';
import { listRuns } from '../../src/automation/runs/list.ts';
import { type RunState, runStates } from '../../src/automation/states.ts';
import type { Ask } from '../../src/platform/listing/paging.ts';
import { momentForm } from '../../src/platform/schemas/moment.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, moment } from '../http/schemas.ts';
import { assertSeesPeople, runView, tag, toRunView, toWholeRunView, wholeRunView } from './run-schemas.ts';

export type WireFilter = {
  rule_id?: string;
  state?: RunState;
  subject_type?: string;
  subject_id?: string;
  contact_id?: string;
  since?: string;
  until?: string;
};
type Query = PageQuery & WireFilter;

export const runFilterFields = {
  rule_id: id.description('Runs of this rule'),
  state: Joi.string().valid(...runStates),
  subject_type: Joi.string()
    .valid(...runSubjects)
    .description('As the runs have it'),
  subject_id: id.description('Runs about this, with `subject_type`'),
  contact_id: id.description('Runs about this person, whatever their subject is'),
  since: moment.description(`Begun at this time or later: ${momentForm}`),
  until: moment.description('Begun before this time'),
};

export const filterOf = (query: WireFilter): RunFilter => ({
  ruleId: query.rule_id,
  state: query.state,
  subjectType: query.subject_type,
  subjectId: query.subject_id,
  contactId: query.contact_id,
  since: query.since,
  until: query.until,
});

export const listOfRuns = endpoint({
  tag,
  method: 'get',
  path: '/v1/automation/runs',
  operationId: 'automation.runs.list',
  scope: 'automation:read',
  summary: 'List runs, newest first',
  description:
    'Without their steps; without `contacts:read`, without the words that may tell of people. What has ended is kept 30 days, or as the operator sets it.',
  query: Joi.object<Query>({ ...pageQuery, ...runFilterFields }).and('subject_type', 'subject_id'),
  responses: { 200: listOf(runView) },
  handler({ query, caller, own }, { reads }) {
    const filter = filterOf(query);
    const read = (ask: Ask) =>
      listed('automation.runs', filter, query, (page) => listRuns(ask, own, filter, page), toRunView(caller));
    return query.include_total ? reads.dear(own.organizationId, read) : read(reads.plain);
  },
});

export const getOneRun = endpoint({
  tag,
  subject: 'Run',
  method: 'get',
  path: '/v1/automation/runs/:runID',
  operationId: 'automation.runs.get',
  scope: 'automation:read',
  summary: 'Get a run with its steps',
  description:
    'What each step was given, gave, or failed with. It takes `contacts:read` too. Of an erased contact nothing is shown.',
  responses: { 200: wholeRunView },
  async handler({ params, caller, own }) {
    assertSeesPeople(caller);
    return ok(toWholeRunView(caller, await getRun(own, params.runID)));
  },
});
