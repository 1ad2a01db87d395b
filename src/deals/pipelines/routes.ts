import type { Own } from '../../platform/database/own.ts';
import { AppError, invalidField } from '../../platform/errors.ts';
import type { StageKind } from './pipeline.entity.ts';
import { findPipeline, getPipeline, getStage, type StageRow } from './queries.ts';
import { minStages, missingKind } from './stage-rules.ts';

/** What goes: a stage, or without one the pipeline. `moveTo`: a stage or a pipeline of the same sort, for the deals. */
export type Removal = { pipelineId: string; stageId?: string; moveTo?: string; actor: string };

/** The stages that go, each with the one that takes its deals; undefined: there is none. */
export type Routes = Map<string, StageRow | undefined>;

/** A deal goes to a stage of the same kind: removing a stage wins, loses and reopens none. Throws 404, 409 and 422. */
export const routesOf = (own: Own, removal: Removal): Promise<Routes> =>
  removal.stageId === undefined ? routesOfPipeline(own, removal) : routesOfStage(own, removal, removal.stageId);

async function routesOfStage(own: Own, { pipelineId, moveTo }: Removal, stageId: string): Promise<Routes> {
  const { kind } = await getStage(own, pipelineId, stageId);
  const others = (await getPipeline(own, pipelineId)).stages.filter(({ id }) => id !== stageId);
  if (others.length < minStages || missingKind(others))
    throw new AppError('conflict', `A pipeline has at least ${minStages} stages, one of each kind`);
  if (moveTo === undefined) return new Map([[stageId, undefined]]);
  const target = others.find(({ id }) => id === moveTo);
  if (target?.kind !== kind)
    throw invalidField('move_to', `No other stage of kind ${kind} in the pipeline has this id`, 'stage.other', 'query');
  return new Map([[stageId, target]]);
}

async function routesOfPipeline(own: Own, { pipelineId, moveTo }: Removal): Promise<Routes> {
  const { stages } = await getPipeline(own, pipelineId);
  if (moveTo === undefined) return new Map(stages.map(({ id }) => [id, undefined]));
  const target = moveTo === pipelineId ? undefined : await findPipeline(own, moveTo);
  if (!target) throw invalidField('move_to', 'No other pipeline has this id', 'pipeline.other', 'query');
  const firstOf = (kind: StageKind) => target.stages.find((stage) => stage.kind === kind);
  return new Map(stages.map(({ id, kind }) => [id, firstOf(kind)]));
}
