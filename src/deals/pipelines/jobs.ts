import Joi from 'joi';
import { uuid } from '../../platform/ids.ts';
import { backoff, job } from '../../platform/ledger/job.ts';

/** `user:<id>` or `key:<id>`: who is named in the history of each deal that moves. */
const actor = Joi.string()
  .pattern(/^(user|key):[0-9a-f-]{36}$/)
  .required();
/** In steps, since there may be any number of deals. In the lane of all pipelines of the organization, so one after the other. */
const common = {
  queue: 'default' as const,
  delayMs: backoff(8),
  operation: true,
  failed: async () => {},
  revived: async () => {},
  // Each step is whole: the next run goes on with what is left.
  survivesCrashes: async () => true,
};

export type StageRemoval = { pipeline_id: string; stage_id: string; move_to: string; actor: string };
export const removeStageJob = job<StageRemoval>({
  ...common,
  name: 'pipelines.remove-stage',
  payload: Joi.object({ pipeline_id: uuid, stage_id: uuid, move_to: uuid, actor }),
  subjectType: 'pipeline_stage',
  subject: 'stage_id',
});

export type PipelineRemoval = { pipeline_id: string; move_to: string; actor: string };
export const removePipelineJob = job<PipelineRemoval>({
  ...common,
  name: 'pipelines.remove',
  payload: Joi.object({ pipeline_id: uuid, move_to: uuid, actor }),
  subjectType: 'pipeline',
  subject: 'pipeline_id',
});
