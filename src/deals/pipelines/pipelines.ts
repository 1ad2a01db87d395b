import { now } from '../../platform/database/columns.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { AppError, invalidField } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { Pipeline, PipelineStage } from './pipeline.entity.ts';
import { pipelinesLock } from './pipelines-lock.ts';
import { getPipeline, type PipelineRow } from './queries.ts';
import { type NewStage, probabilityOf, startingStages } from './stage-rules.ts';

export const maxPipelines = 50;

export type NewPipeline = { name: string; is_default: boolean; needs_lost_reason: boolean; stages?: NewStage[] };
export type PipelineChange = { name?: string; is_default?: boolean; needs_lost_reason?: boolean; stage_ids?: string[] };

type Known = RowOf<typeof Pipeline, 'id' | 'is_default'>;

/** SQL: locked, so that a pipeline cannot go while it becomes the default. */
const known = (tx: OwnTx) =>
  tx.sql<Known>(
    `select id, is_default
       from pipelines
      where organization_id = $1
      order by created_at, id
        for update`,
  );

/** The first pipeline is the default. Throws 422 at the limit. */
export async function createPipeline(tx: OwnTx, { stages = startingStages, ...given }: NewPipeline): Promise<PipelineRow> {
  tx.assertLocked(pipelinesLock(tx.organizationId));
  const others = await known(tx);
  if (others.length >= maxPipelines) throw new AppError('limit_reached', `An organization has at most ${maxPipelines} pipelines`);
  const isDefault = given.is_default || others.length === 0;
  if (isDefault) await tx.update(Pipeline, { is_default: true }, { is_default: false });
  const id = uuidv7();
  await tx.insert(Pipeline, { ...given, id, is_default: isDefault });
  await tx.insertMany(
    PipelineStage,
    stages.map((stage, position) => ({
      id: uuidv7(),
      pipeline_id: id,
      name: stage.name,
      kind: stage.kind,
      probability: probabilityOf(stage),
      position,
    })),
  );
  return getPipeline(tx, id);
}

/** Throws 404, and 422 where the organization would have no default, or for other stages than it has. */
export async function changePipeline(tx: OwnTx, id: string, change: PipelineChange): Promise<PipelineRow> {
  tx.assertLocked(pipelinesLock(tx.organizationId));
  const pipeline = await getPipeline(tx, id);
  const { stage_ids, ...values } = change;
  if (values.is_default === false && pipeline.is_default)
    throw invalidField('is_default', 'One pipeline is the default: make another one the default instead', 'default.one');
  if (stage_ids) await order(tx, pipeline, stage_ids);
  if (values.is_default && !pipeline.is_default) await tx.update(Pipeline, { is_default: true }, { is_default: false });
  await tx.update(Pipeline, { id }, { ...values, updated_at: now() });
  return getPipeline(tx, id);
}

async function order(tx: OwnTx, { stages }: PipelineRow, ids: string[]): Promise<void> {
  const present = new Set(stages.map(({ id }) => id));
  if (ids.length !== present.size || ids.some((id) => !present.delete(id)))
    throw invalidField('stage_ids', 'stage_ids must name each stage of the pipeline once', 'stages.other');
  // SQL: a set, by the place in the array.
  await tx.sql(
    `update pipeline_stages s
        set position = o.position - 1, updated_at = clock_timestamp()
       from unnest($2::uuid[]) with ordinality o (id, position)
      where s.organization_id = $1 and s.id = o.id and s.position <> o.position - 1`,
    [ids],
  );
}
