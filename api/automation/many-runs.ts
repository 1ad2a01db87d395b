import Joi from 'joi';
import { askToCancelRuns } from '../../src/automation/runs/cancel-many.ts';
import type { RunFilter } from '../../src/automation/runs/filter.ts';
import { askToRetryRuns } from '../../src/automation/runs/retry-many.ts';
import { exampleIdOf, exampleIds } from '../../src/platform/examples.ts';
import type { OwnTx } from '../../src/platform/ledger/tx.ts';
import { endpoint, type Input, type Reply } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { tag } from './run-schemas.ts';
import { filterOf, runFilterFields, type WireFilter } from './runs.ts';

const { state: _, ...fields } = runFilterFields;

const askedView = view(
  Joi.object({
    operation_id: id.required().description('Of GET /v1/operations/{operationID}, which shows how far it is'),
  }),
  { operation_id: exampleIds.operation },
);

const about = {
  tag,
  audit: 'operation',
  method: 'post' as const,
  isIdempotent: true,
  isOperation: true,
  responses: { 202: askedView },
};

const operationNote =
  'Answers at once with an operation (`Location`, `Operation-Id`), over any number of runs, in steps; `progress` of it has in `done` how many were changed and in `left` how many could not be. It can be called off: what it did stays done.';

function asked(
  { body, write }: Pick<Input<WireFilter, unknown>, 'body' | 'write'>,
  ask: (tx: OwnTx, filter: RunFilter) => string | Promise<string>,
): Promise<Reply> {
  return write({}, async ({ own }) => {
    const operationId = await ask(own, filterOf(body));
    return {
      status: 202,
      body: { operation_id: operationId },
      headers: { Location: `/v1/operations/${operationId}` },
      operationId,
      audit: { subject: `operation:${operationId}`, details: body },
    };
  });
}

export const cancelManyRuns = endpoint({
  ...about,
  scope: 'automation:write',
  path: '/v1/automation/runs/cancel',
  operationId: 'automation.runs.cancel-many',
  summary: 'Cancel all live runs that a filter finds',
  description: `Those that had begun when it was asked for. At least one condition; several must all hold. ${operationNote}`,
  body: Joi.object<WireFilter>({ ...fields, state: Joi.string().valid('queued', 'running') })
    .and('subject_type', 'subject_id')
    .min(1)
    .required(),
  example: { body: { rule_id: exampleIdOf('rule') } },
  handler: (input) => asked(input, askToCancelRuns),
});

export const retryManyRuns = endpoint({
  ...about,
  scope: 'automation:trigger',
  path: '/v1/automation/runs/retry',
  operationId: 'automation.runs.retry-many',
  summary: 'Retry all failed runs that a filter finds',
  description: `Each from the step that failed, once; those that had failed when it was asked for. What cannot be retried stays failed: its subject, rule or event is gone, another run lives beside it, or a publication of its version needs scopes that the credential does not have. Where it names a rule, a 403 if that is so of its published version. At least one condition; several must all hold. ${operationNote}`,
  body: Joi.object<WireFilter>(fields).and('subject_type', 'subject_id').min(1).required(),
  example: { body: { rule_id: exampleIdOf('rule'), since: '2026-11-21T00:00:00.000Z' } },
  handler: ({ caller, ...input }) => asked(input, (tx, filter) => askToRetryRuns(tx, filter, caller)),
});
