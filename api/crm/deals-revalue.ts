import Joi from 'joi';
import { askForRevaluation, revalueLock } from '../../src/deals/revalue/ask.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIds } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { tag } from './deal-schemas.ts';

export const revalueAllDeals = endpoint({
  method: 'post',
  path: '/v1/crm/deals/revalue',
  operationId: 'crm.deals.revalue',
  tag,
  scope: 'crm:write',
  summary: 'Convert the amounts of open deals to the home currency anew',
  description:
    'At the rates of now, for all open deals: after the home currency was changed, or rates were added. Closed deals keep what they were worth when they closed. It is an operation in batches (`Location`, `Operation-Id`); each deal that changes has its event and history. Asked for again before it is over, it is the same operation.',
  isIdempotent: true,
  isOperation: true,
  responses: {
    202: view(
      Joi.object({ operation_id: id.required().description('Of GET /v1/operations/{operationID}, which shows how far it is') }),
      { operation_id: exampleIds.operation },
    ),
  },
  handler: ({ caller, own, write }) =>
    write({ locks: [revalueLock(own.organizationId)] }, async (tx) => {
      const operationId = await askForRevaluation(tx, actorOf(caller));
      return {
        status: 202,
        body: { operation_id: operationId },
        headers: { Location: `/v1/operations/${operationId}` },
        operationId,
      };
    }),
});
