import Joi from 'joi';
import type { Caller } from '../../src/organizations/caller.ts';
import type { Scope } from '../../src/organizations/scopes.ts';
import { notFound } from '../../src/platform/errors.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import type { JobError } from '../../src/platform/ledger/jobs.entity.ts';
import {
  findOperation,
  listOperations,
  type OperationFilter,
  type OperationRow,
  operationStatus,
  operationStatuses,
} from '../../src/platform/ledger/operations.ts';
import type { Ask } from '../../src/platform/listing/paging.ts';
import { momentForm } from '../../src/platform/schemas/moment.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { refusal } from '../http/middleware/authenticate.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id, iso, moment, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const operationView = view(
  'operation',
  Joi.object({
    id: id.required(),
    name: Joi.string().required(),
    status: Joi.string()
      .valid(...operationStatuses)
      .required(),
    error: Joi.object({
      code: Joi.string().required(),
      message: Joi.string().required(),
      provider_code: Joi.string().allow(null),
    })
      .allow(null)
      .required(),
    subject: Joi.object({ type: Joi.string().required(), id: Joi.string().required() }).required(),
    progress: Joi.object()
      .unknown()
      .allow(null)
      .required()
      .description(
        'How far it is: `rows` of an import or export; `done` of a replay, and in `reached` the time it has come to; `done` and `left` of a change of many runs; `deliveries` of a change of what waits for a webhook endpoint',
      ),
    created_at: timestamp.required(),
    finished_at: timestamp.allow(null).required(),
  }),
  {
    id: exampleIds.operation,
    name: 'templates.sync',
    status: 'succeeded',
    error: null,
    subject: { type: 'channel', id: exampleIds.channel },
    progress: null,
    created_at: exampleTime,
    finished_at: '2026-11-21T10:00:01.000Z',
  },
);

/** Without what the ledger notes for itself. */
const shownError = ({ code, message, provider_code }: JobError) => ({ code, message, provider_code });

export const toOperationView = (row: OperationRow) => ({
  id: row.id,
  name: row.name,
  status: operationStatus(row),
  error: row.error && shownError(row.error),
  subject: { type: row.subject_type, id: row.subject_id },
  progress: row.progress,
  created_at: iso(row.created_at),
  finished_at: row.finished_at && iso(row.finished_at),
});

/** The scope that reads a subject also reads its operations; `messages:read` reads all of them. */
const scopeOfSubject: Record<string, Scope> = {
  automation_runs: 'automation:read',
  campaign: 'campaigns:read',
  campaign_import: 'campaigns:read',
  channel: 'channels:read',
  connection: 'connections:read',
  contact_block: 'contacts:read',
  contact_export: 'contacts:read',
  contact_import: 'contacts:read',
  crm_import: 'crm:read',
  deal_revaluation: 'crm:read',
  flow: 'flows:read',
  onboarding: 'onboarding:read',
  order: 'commerce:read',
  quote: 'commerce:read',
  staff: 'commerce:read',
  template: 'channels:read',
  webhook_delivery: 'webhooks:read',
  webhook_endpoint: 'webhooks:read',
  webhook_replay: 'webhooks:read',
};
const otherScopes = [...new Set(Object.values(scopeOfSubject))];

/** Undefined: all. */
const subjectTypesFor = ({ scopes }: Caller) =>
  scopes.has('messages:read') ? undefined : Object.keys(scopeOfSubject).filter((type) => scopes.has(scopeOfSubject[type]!));

export const getOperation = endpoint({
  method: 'get',
  path: '/v1/operations/:operationID',
  operationId: 'operations.get',
  tag: 'Operations',
  scope: 'messages:read',
  otherScopes,
  summary: 'Get an operation: what became of work that was asked for',
  description:
    'Kept 7 days after its end. Without `messages:read` it takes the scope that reads its subject: `contacts:read` for an import, an export or a block, `automation:read` for a change of many runs, `campaigns:read` for work for a campaign, `channels:read` for a sync or work for a template, `crm:read` for an import or a revaluation of deals or records, `flows:read` for work for a flow, `connections:read` for a check of a connection, `commerce:read` for work for an order, `onboarding:read` for a step of an onboarding, `webhooks:read` for a test of an endpoint, a change of what waits for it, or a replay.',
  subject: 'Operation',
  responses: { 200: operationView },
  async handler({ params, caller, own }) {
    const row = await findOperation(own, params.operationID);
    const others = row && scopeOfSubject[row.subject_type];
    if (!caller.scopes.has('messages:read') && !(others && caller.scopes.has(others))) throw refusal(caller, 'messages:read');
    if (!row) throw notFound('Operation');
    return ok(toOperationView(row));
  },
});

type ListQuery = PageQuery & Pick<OperationFilter, 'name' | 'status' | 'since' | 'until'>;

export const listOfOperations = endpoint({
  method: 'get',
  path: '/v1/operations',
  operationId: 'operations.list',
  tag: 'Operations',
  scope: 'messages:read',
  otherScopes,
  summary: 'List operations, newest first',
  description:
    'Without `messages:read` those whose subject the caller may read, as GET /v1/operations/{operationID} says. What has ended is kept 7 days, what has failed longer.',
  query: Joi.object<ListQuery>({
    ...pageQuery,
    name: Joi.string().max(100).description('Only this kind: `webhooks.recover`'),
    status: Joi.string()
      .valid(...operationStatuses)
      .description('Only those that stand so'),
    since: moment.description(`Asked for at this time or later: ${momentForm}`),
    until: moment.description('Asked for before this time'),
  }),
  responses: { 200: listOf(operationView) },
  handler({ query, caller, own }, { reads }) {
    const { name, status, since, until } = query;
    const filter = { name, status, since, until, subjectTypes: subjectTypesFor(caller) };
    const read = (ask: Ask) =>
      listed('operations', filter, query, (page) => listOperations(ask, own, filter, page), toOperationView);
    // All of them, and those of a name, have an index in the list's order.
    return status || filter.subjectTypes || query.include_total ? reads.dear(own.organizationId, read) : read(reads.plain);
  },
});
