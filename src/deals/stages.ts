import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { Pipeline, PipelineStage, type StageKind } from './pipelines/pipeline.entity.ts';

type Stage = RowOf<typeof PipelineStage, 'id' | 'pipeline_id' | 'kind' | 'probability'>;
/** `needs_lost_reason`: of its pipeline. */
export type StageOfDeal = Stage & RowOf<typeof Pipeline, 'needs_lost_reason'>;

type Select = Parameters<Parameters<typeof statement>[0]>[0];
const stages = (select: Select) =>
  select(PipelineStage, Pipeline)
    .innerJoin('pipelines', 'pipelines.id', 'pipeline_stages.pipeline_id')
    .select(['pipeline_stages.id', 'pipeline_stages.pipeline_id', 'pipeline_stages.kind', 'pipeline_stages.probability'])
    .select('pipelines.needs_lost_reason');

const byId = statement((select, { id }: { id: string }) => stages(select).where('pipeline_stages.id', '=', id));
const firstOf = statement((select, { pipelineId, kind }: { pipelineId: string; kind: StageKind }) =>
  stages(select)
    .where('pipeline_stages.pipeline_id', '=', pipelineId)
    .where('pipeline_stages.kind', '=', kind)
    .orderBy('pipeline_stages.position')
    .limit(1),
);
const firstOfDefault = statement((select) =>
  stages(select)
    .where('pipelines.is_default', '=', true)
    .where('pipeline_stages.kind', '=', 'open')
    .orderBy('pipeline_stages.position')
    .limit(1),
);

export async function findStage(own: Own, id: string): Promise<StageOfDeal | undefined> {
  const [stage] = await byId(own, { id });
  return stage;
}

/** In the order of the pipeline. */
export async function firstStage(own: Own, pipelineId: string, kind: StageKind): Promise<StageOfDeal | undefined> {
  const [stage] = await firstOf(own, { pipelineId, kind });
  return stage;
}

/** Undefined: the organization has no pipeline. */
export async function defaultStage(own: Own): Promise<StageOfDeal | undefined> {
  const [stage] = await firstOfDefault(own, {});
  return stage;
}
