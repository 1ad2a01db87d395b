import Joi from 'joi';
import { lostReason } from '../../src/deals/given.ts';
import { type Closing, closeDeal, type Move, moveDeal, moveOf, reopenDeal } from '../../src/deals/move.ts';
import { moveFields } from '../../src/deals/schemas.ts';
import { exampleIdOf } from '../../src/platform/examples.ts';
import { endpoint } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { withExample } from '../http/view.ts';
import { aboutDeal, changeOneDeal, dealView, revision } from './deal-schemas.ts';

type Seen = { revision?: number };

const wonView = withExample(dealView, { status: 'won', closed_at: '2026-11-22T10:00:00.000Z', probability: 100, revision: 2 });
const lostView = withExample(wonView, { status: 'lost', lost_reason: 'Budget', probability: 0 });

export const moveOneDeal = endpoint({
  ...aboutDeal,
  method: 'post',
  path: '/v1/crm/deals/:dealID/move',
  operationId: 'crm.deals.move',
  scope: 'crm:write',
  summary: 'Move a deal to a stage, or to another place in it',
  description:
    'To the end of the stage, or before or behind another deal of it. A stage of kind `won` or `lost` closes the deal and freezes its money; an open one reopens it. A deal that is there already stays as it is, but for a new `lost_reason`.',
  errors: [409],
  body: Joi.object<Move & Seen>({
    stage_id: id.required(),
    ...moveFields,
    revision,
  }).oxor('before_id', 'after_id'),
  responses: { 200: dealView },
  example: { body: { stage_id: exampleIdOf('stage'), pipeline_id: exampleIdOf('pipeline') } },
  handler: ({ params: { dealID }, body: { revision: seen, ...move }, caller, write }) =>
    changeOneDeal({ caller, write }, { id: dealID, revision: seen }, (tx) => moveDeal(tx, move), moveOf(dealID, move)),
});

const stage = id.description('A stage of that kind; default: the first one of the pipeline');

export const winDeal = endpoint({
  ...aboutDeal,
  method: 'post',
  path: '/v1/crm/deals/:dealID/win',
  operationId: 'crm.deals.win',
  scope: 'crm:write',
  summary: 'Close a deal as won',
  description: 'It goes to the first `won` stage of its pipeline. Its money is frozen at the rates of this moment. Idempotent.',
  errors: [409],
  body: Joi.object<Closing & Seen>({ stage_id: stage, revision }),
  responses: { 200: wonView },
  example: { body: {} },
  handler: ({ params, body, caller, write }) => {
    const { revision: seen, ...closing } = body ?? {};
    return changeOneDeal({ caller, write }, { id: params.dealID, revision: seen }, (tx) => closeDeal(tx, 'won', closing));
  },
});

export const loseDeal = endpoint({
  ...aboutDeal,
  method: 'post',
  path: '/v1/crm/deals/:dealID/lose',
  operationId: 'crm.deals.lose',
  scope: 'crm:write',
  summary: 'Close a deal as lost',
  description:
    'It goes to the first `lost` stage of its pipeline, with a reason where the pipeline wants one. Its money is frozen at the rates of this moment. Idempotent.',
  errors: [409],
  body: Joi.object<Closing & Seen>({ stage_id: stage, lost_reason: lostReason, revision }),
  responses: { 200: lostView },
  example: { body: { lost_reason: 'Budget' } },
  handler: ({ params, body, caller, write }) => {
    const { revision: seen, ...closing } = body ?? {};
    return changeOneDeal({ caller, write }, { id: params.dealID, revision: seen }, (tx) => closeDeal(tx, 'lost', closing));
  },
});

export const reopenOneDeal = endpoint({
  ...aboutDeal,
  method: 'post',
  path: '/v1/crm/deals/:dealID/reopen',
  operationId: 'crm.deals.reopen',
  scope: 'crm:write',
  summary: 'Open a closed deal again',
  description: 'It goes to the first open stage of its pipeline. An open deal stays as it is.',
  errors: [409],
  body: Joi.object<{ stage_id?: string } & Seen>({ stage_id: stage, revision }),
  responses: { 200: dealView },
  example: { body: {} },
  handler: ({ params, body, caller, write }) => {
    const { revision: seen, stage_id } = body ?? {};
    return changeOneDeal({ caller, write }, { id: params.dealID, revision: seen }, (tx) => reopenDeal(tx, { stage_id }));
  },
});
