import Joi from 'joi';
import {
  changePipeline,
  createPipeline,
  maxPipelines,
  type NewPipeline,
  type PipelineChange,
} from '../../src/deals/pipelines/pipelines.ts';
import { pipelinesLock } from '../../src/deals/pipelines/pipelines-lock.ts';
import { getPipeline, listPipelines } from '../../src/deals/pipelines/queries.ts';
import { maxStages } from '../../src/deals/pipelines/stage-rules.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { id } from '../http/schemas.ts';
import { name, newStages, pipelinesPath, pipelineView, toPipelineView } from './pipeline-schemas.ts';

const tag = 'CRM';
const onePipeline = `${pipelinesPath}/:pipelineID` as const;
const about = { tag, subject: 'Pipeline' };

export const listOfPipelines = endpoint({
  method: 'get',
  path: pipelinesPath,
  operationId: 'crm.pipelines.list',
  tag,
  scope: 'crm_schema:read',
  summary: 'List the pipelines with their stages, newest first',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(pipelineView) },
  handler: ({ query, own }) => listed('crm.pipelines', {}, query, (page) => listPipelines(own, page), toPipelineView),
});

export const createOnePipeline = endpoint({
  method: 'post',
  path: pipelinesPath,
  operationId: 'crm.pipelines.create',
  tag,
  scope: 'crm_schema:write',
  audit: 'pipeline',
  summary: 'Create a pipeline',
  description: `Without \`stages\` it gets five to begin with. The first one is the default. An organization has at most ${maxPipelines}.`,
  isIdempotent: true,
  body: Joi.object<NewPipeline>({
    name: name.required(),
    is_default: Joi.boolean().strict().default(false),
    needs_lost_reason: Joi.boolean().strict().default(false).description('A deal is lost only with a reason'),
    stages: newStages,
  }),
  responses: { 201: pipelineView },
  example: {
    body: {
      name: 'Sales',
      stages: [
        { name: 'New', kind: 'open', probability: 10 },
        { name: 'Won', kind: 'won' },
        { name: 'Lost', kind: 'lost' },
      ],
    },
  },
  handler: ({ body, caller, write }) =>
    write({ locks: [pipelinesLock(caller.organizationId)] }, async ({ own }) => ({
      status: 201,
      body: toPipelineView(await createPipeline(own, body)),
    })),
});

export const getOnePipeline = endpoint({
  ...about,
  method: 'get',
  path: onePipeline,
  operationId: 'crm.pipelines.get',
  scope: 'crm_schema:read',
  summary: 'Get one pipeline with its stages',
  responses: { 200: pipelineView },
  handler: async ({ params, own }) => ok(toPipelineView(await getPipeline(own, params.pipelineID))),
});

export const patchPipeline = endpoint({
  ...about,
  method: 'patch',
  path: onePipeline,
  operationId: 'crm.pipelines.update',
  scope: 'crm_schema:write',
  audit: 'pipeline',
  summary: 'Change a pipeline, or the order of its stages',
  description: 'One pipeline is the default: with `is_default: true` another one takes its place.',
  body: Joi.object<PipelineChange>({
    name,
    is_default: Joi.boolean().strict(),
    needs_lost_reason: Joi.boolean().strict(),
    stage_ids: Joi.array().items(id).max(maxStages).description('All its stages in their new order'),
  }).min(1),
  responses: { 200: pipelineView },
  example: { body: { name: 'Sales', needs_lost_reason: true } },
  handler: ({ params, body, caller, write }) =>
    write({ locks: [pipelinesLock(caller.organizationId)] }, async ({ own }) => ({
      ...ok(toPipelineView(await changePipeline(own, params.pipelineID, body))),
      audit: { details: { changed: Object.keys(body) } },
    })),
});
