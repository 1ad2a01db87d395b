import Joi from 'joi';
import { maxAtOnce } from '../../src/deals/pipelines/move-out.ts';
import { removalLook, remove } from '../../src/deals/pipelines/remove.ts';
import type { Removal } from '../../src/deals/pipelines/routes.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { exampleIdOf, exampleIds } from '../../src/platform/examples.ts';
import { endpoint, type Input, type Reply } from '../http/endpoint.ts';
import { id } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { pipelinesPath, stagesPath } from './pipeline-schemas.ts';

type Query = { move_to?: string };

const askedView = view(
  Joi.object({
    operation_id: id.required().description('Of GET /v1/operations/{operationID}'),
    deals: Joi.number().integer().required().description('How many are moved, those in the bin counted'),
  }),
  { operation_id: exampleIds.operation, deals: 1200 },
);

const common = {
  tag: 'CRM',
  method: 'delete' as const,
  scope: 'crm_schema:write' as const,
  isOperation: true,
  errors: [409],
  responses: { 204: null, 202: askedView },
};
const description = `With deals, those in the bin too, it is a 409 that counts them, unless \`move_to\` says where they go. Each keeps its status, and its move is a change of the deal, with its history and events. Of more than ${maxAtOnce} an operation moves them (202) and removes it at its end.`;

type Asked = Pick<Input<unknown, Query>, 'caller' | 'own' | 'query' | 'write'>;

async function asked({ caller, own, query, write }: Asked, what: Omit<Removal, 'actor' | 'moveTo'>): Promise<Reply> {
  const removal = { ...what, moveTo: query.move_to, actor: actorOf(caller) };
  const audit = { details: { ...(what.stageId && { stage_id: what.stageId }), move_to: query.move_to ?? null } };
  return write(removalLook(own, removal), async (tx, seen) => {
    const left = await remove(tx.own, removal, seen);
    if (!left) return { status: 204, audit };
    const { operationId, deals } = left;
    return {
      status: 202,
      body: { operation_id: operationId, deals },
      headers: { Location: `/v1/operations/${operationId}` },
      operationId,
      audit,
    };
  });
}

export const deletePipeline = endpoint({
  ...common,
  subject: 'Pipeline',
  path: `${pipelinesPath}/:pipelineID`,
  operationId: 'crm.pipelines.delete',
  audit: 'pipeline',
  summary: 'Delete a pipeline',
  description: `${description} In the other pipeline a deal goes to the first stage of its status. The default passes to that pipeline, else to the oldest one.`,
  query: Joi.object<Query>({ move_to: id.description('The pipeline that takes the deals') }),
  example: { query: { move_to: exampleIdOf('other pipeline') } },
  handler: (input) => asked(input, { pipelineId: input.params.pipelineID }),
});

export const deleteStage = endpoint({
  ...common,
  subject: 'Stage',
  path: `${stagesPath}/:stageID`,
  operationId: 'crm.pipelines.stages.delete',
  audit: 'pipeline',
  summary: 'Remove a stage of a pipeline',
  description: `${description} One stage of each kind and three in all must be left.`,
  query: Joi.object<Query>({ move_to: id.description('The stage of the same kind that takes the deals') }),
  example: { query: { move_to: exampleIdOf('other stage') } },
  handler: (input) => asked(input, { pipelineId: input.params.pipelineID, stageId: input.params.stageID }),
});
