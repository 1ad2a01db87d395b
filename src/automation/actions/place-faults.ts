import { findPipeline } from '../../deals/pipelines/queries.ts';
import { findStage } from '../../deals/stages.ts';
import type { Own } from '../../platform/database/own.ts';
import type { ErrorDetail } from '../../platform/errors.ts';
import { fault, literal } from './faults.ts';

type Place = { pipeline_id?: string; stage_id?: string };

/** Of a step that puts a deal into a stage. */
export async function placeFaults(own: Own, given: Place): Promise<ErrorDetail[]> {
  const [pipelineId, stageId] = [literal(given.pipeline_id), literal(given.stage_id)];
  const faults: ErrorDetail[] = [];
  if (pipelineId && !(await findPipeline(own, pipelineId)))
    faults.push(fault('pipeline_id', 'reference.unknown', 'No pipeline has this id'));
  const stage = stageId ? await findStage(own, stageId) : undefined;
  if (stageId && (!stage || (pipelineId && faults.length === 0 && stage.pipeline_id !== pipelineId)))
    faults.push(fault('stage_id', 'reference.unknown', 'No stage of the pipeline has this id'));
  return faults;
}
