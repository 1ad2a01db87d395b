import Joi from 'joi';
import { pipelinesLock } from '../../src/deals/pipelines/pipelines-lock.ts';
import { getStage } from '../../src/deals/pipelines/queries.ts';
import { isProbable, maxStages, type NewStage } from '../../src/deals/pipelines/stage-rules.ts';
import { changeStage, createStage, improbable, type StageChange } from '../../src/deals/pipelines/stages.ts';
import { invalidField } from '../../src/platform/errors.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { name, probability, stageFields, stagesPath, stageView, toStageView } from './pipeline-schemas.ts';

const oneStage = `${stagesPath}/:stageID` as const;
const tag = 'CRM';
const about = { tag, subject: 'Stage' };

type StageBody = NewStage & { position?: number };

export const createOneStage = endpoint({
  tag,
  subject: 'Pipeline',
  method: 'post',
  path: stagesPath,
  operationId: 'crm.pipelines.stages.create',
  scope: 'crm_schema:write',
  audit: 'pipeline',
  summary: 'Add a stage to a pipeline',
  isIdempotent: true,
  body: Joi.object<StageBody>({
    ...stageFields,
    position: Joi.number().strict().integer().min(0).max(maxStages).description('Its place, from 0. Default: the end'),
  }),
  responses: { 201: stageView },
  example: { body: { name: 'Qualified', kind: 'open', probability: 30, position: 1 } },
  handler: ({ params, body, caller, write }) => {
    const { position, ...stage } = body;
    if (!isProbable(stage)) throw invalidField('probability', improbable(stage.kind), 'stage.probability');
    return write({ locks: [pipelinesLock(caller.organizationId)] }, async ({ own }) => {
      const row = await createStage(own, params.pipelineID, stage, position);
      return { status: 201, body: toStageView(row), audit: { details: { stage_id: row.id } } };
    });
  },
});

export const getOneStage = endpoint({
  ...about,
  method: 'get',
  path: oneStage,
  operationId: 'crm.pipelines.stages.get',
  scope: 'crm_schema:read',
  summary: 'Get one stage of a pipeline',
  responses: { 200: stageView },
  handler: async ({ params, own }) => ok(toStageView(await getStage(own, params.pipelineID, params.stageID))),
});

export const patchStage = endpoint({
  ...about,
  method: 'patch',
  path: oneStage,
  operationId: 'crm.pipelines.stages.update',
  scope: 'crm_schema:write',
  audit: 'pipeline',
  summary: 'Change a stage',
  description: 'Its kind stays, since it is the status of its deals. The order of stages is `stage_ids` of the pipeline.',
  body: Joi.object<StageChange>({ name, probability }).min(1),
  responses: { 200: stageView },
  example: { body: { name: 'Qualified', probability: 40 } },
  handler: ({ params, body, caller, write }) =>
    write({ locks: [pipelinesLock(caller.organizationId)] }, async ({ own }) => ({
      ...ok(toStageView(await changeStage(own, params.pipelineID, params.stageID, body))),
      audit: { details: { stage_id: params.stageID, changed: Object.keys(body) } },
    })),
});
