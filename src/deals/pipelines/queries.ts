import { sql } from 'kysely';
import type { Own, Select } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { notFound } from '../../platform/errors.ts';
import { list, type Page } from '../../platform/listing/paging.ts';
import { Pipeline, PipelineStage } from './pipeline.entity.ts';

const stageColumns = ['id', 'pipeline_id', 'name', 'kind', 'probability', 'position'] as const;
export type StageRow = RowOf<typeof PipelineStage, (typeof stageColumns)[number]>;
export type PipelineRow = RowOf<
  typeof Pipeline,
  'id' | 'name' | 'is_default' | 'needs_lost_reason' | 'created_at' | 'updated_at'
> & {
  stages: StageRow[];
};

const stageJson = sql<StageRow[]>`
  coalesce(jsonb_agg(jsonb_build_object(
    'id', id, 'pipeline_id', pipeline_id, 'name', name, 'kind', kind, 'probability', probability, 'position', position
  ) order by position), '[]')`;

const withStages = (select: Select) =>
  select(Pipeline, PipelineStage)
    .select(['pipelines.id', 'pipelines.name', 'pipelines.is_default', 'pipelines.needs_lost_reason'])
    .select(['pipelines.created_at', 'pipelines.updated_at'])
    .select((eb) =>
      eb
        .selectFrom('pipeline_stages')
        .select(stageJson.as('stages'))
        .whereRef('pipeline_stages.pipeline_id', '=', 'pipelines.id')
        .$asScalar()
        .$notNull()
        .as('stages'),
    );

const pipelines = list(withStages);
const pipelineById = statement((select, { id }: { id: string }) => withStages(select).where('pipelines.id', '=', id));
const stagesOfPipeline = statement((select, { pipelineId }: { pipelineId: string }) =>
  select(PipelineStage).select(stageColumns).where('pipeline_id', '=', pipelineId).orderBy('position'),
);

export const listPipelines = (own: Own, page: Page) => pipelines(own, {}, page);

export async function findPipeline(own: Own, id: string): Promise<PipelineRow | undefined> {
  const [pipeline] = await pipelineById(own, { id });
  return pipeline;
}

/** Throws 404. */
export async function getPipeline(own: Own, id: string): Promise<PipelineRow> {
  const pipeline = await findPipeline(own, id);
  if (!pipeline) throw notFound('Pipeline');
  return pipeline;
}

/** In their order. */
export const stagesOf = (own: Own, pipelineId: string): Promise<StageRow[]> => stagesOfPipeline(own, { pipelineId });

/** Throws 404. */
export async function getStage(own: Own, pipelineId: string, id: string): Promise<StageRow> {
  const stage = (await stagesOf(own, pipelineId)).find((one) => one.id === id);
  if (!stage) throw notFound('Stage');
  return stage;
}
