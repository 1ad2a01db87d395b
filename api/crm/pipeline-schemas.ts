import Joi from 'joi';
import { type StageKind, stageKinds } from '../../src/deals/pipelines/pipeline.entity.ts';
import type { PipelineRow, StageRow } from '../../src/deals/pipelines/queries.ts';
import { isProbable, maxStages, minStages, missingKind, type NewStage } from '../../src/deals/pipelines/stage-rules.ts';
import { exampleIdOf, exampleTime } from '../../src/platform/examples.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const pipelinesPath = '/v1/crm/pipelines';
export const stagesPath = `${pipelinesPath}/:pipelineID/stages` as const;

export const name = Joi.string().trim().min(1).max(200);
const kind = Joi.string()
  .valid(...stageKinds)
  .description('The status of the deals in it');
export const probability = Joi.number()
  .strict()
  .integer()
  .min(0)
  .max(100)
  .description('In percent: how likely a deal in the stage is won. Always 100 for won and 0 for lost');

export const stageFields = { name: name.required(), kind: kind.required(), probability };

/** With what depends on its kind. */
export const newStage = Joi.object<NewStage>(stageFields)
  .custom((stage: NewStage, { error }) => (isProbable(stage) ? stage : error('stage.probability')))
  .messages({ 'stage.probability': '{{#label}} must have the probability 100 when it is won, 0 when it is lost' });

export const newStages = Joi.array()
  .items(newStage)
  .min(minStages)
  .max(maxStages)
  .custom((stages: NewStage[], { error }) => {
    const missing = missingKind(stages);
    return missing ? error('stages.kind', { missing }) : stages;
  })
  .messages({ 'stages.kind': '{{#label}} must have at least one of kind {{#missing}}' })
  .description(`In their order; at least one open, one won and one lost, at most ${maxStages}`);

const stageSchema = Joi.object({
  id: id.required(),
  name: Joi.string().required(),
  kind: kind.required(),
  probability: probability.required(),
  position: Joi.number().integer().required().description('Its place in the pipeline, from 0'),
});
export const exampleStage = { id: exampleIdOf('stage'), name: 'Qualified', kind: 'open', probability: 30, position: 1 };
export const stageView = view('pipeline_stage', stageSchema, exampleStage);

const exampleStageOf = (position: number, stageName: string, stageKind: StageKind, percent: number) => ({
  id: exampleIdOf(`stage ${stageName}`),
  name: stageName,
  kind: stageKind,
  probability: percent,
  position,
});

export const pipelineView = view(
  'pipeline',
  Joi.object({
    id: id.required(),
    name: Joi.string().required(),
    is_default: Joi.boolean().required().description('New deals go to its first open stage unless they name another one'),
    needs_lost_reason: Joi.boolean().required().description('A deal is lost only with a reason'),
    stages: Joi.array().items(stageSchema).required().description('In their order'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('pipeline'),
    name: 'Sales',
    is_default: true,
    needs_lost_reason: false,
    stages: [
      exampleStageOf(0, 'New', 'open', 10),
      exampleStage,
      exampleStageOf(2, 'Won', 'won', 100),
      exampleStageOf(3, 'Lost', 'lost', 0),
    ],
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

export const toStageView = ({ id, name, kind, probability, position }: StageRow) => ({ id, name, kind, probability, position });

export const toPipelineView = (row: PipelineRow) => ({
  id: row.id,
  name: row.name,
  is_default: row.is_default,
  needs_lost_reason: row.needs_lost_reason,
  stages: row.stages.map(toStageView),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});
