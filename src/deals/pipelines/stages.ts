import { now } from '../../platform/database/columns.ts';
import { AppError, invalidField } from '../../platform/errors.ts';
import { uuidv7 } from '../../platform/ids.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { PipelineStage } from './pipeline.entity.ts';
import { pipelinesLock } from './pipelines-lock.ts';
import { getPipeline, getStage, type StageRow } from './queries.ts';
import { isProbable, maxStages, type NewStage, probabilityOf } from './stage-rules.ts';

/** At `position`, else at the end. Throws 404, and 422 at the limit. */
export async function createStage(tx: OwnTx, pipelineId: string, stage: NewStage, position?: number): Promise<StageRow> {
  tx.assertLocked(pipelinesLock(tx.organizationId));
  const { stages } = await getPipeline(tx, pipelineId);
  if (stages.length >= maxStages) throw new AppError('limit_reached', `A pipeline has at most ${maxStages} stages`);
  const at = Math.min(position ?? stages.length, stages.length);
  await shiftStages(tx, pipelineId, at, 1);
  const id = uuidv7();
  const { name, kind } = stage;
  await tx.insert(PipelineStage, { id, pipeline_id: pipelineId, name, kind, probability: probabilityOf(stage), position: at });
  return getStage(tx, pipelineId, id);
}

/** SQL: from that position on; a set in one statement. */
export const shiftStages = (tx: OwnTx, pipelineId: string, from: number, by: 1 | -1) =>
  tx.sql(
    `update pipeline_stages
        set position = position + $4::int
      where organization_id = $1 and pipeline_id = $2 and position >= $3`,
    [pipelineId, from, by],
  );

export type StageChange = { name?: string; probability?: number };

/** Its kind stays: it is the status of its deals. Throws 404, and 422 for a closed stage that is not certain. */
export async function changeStage(tx: OwnTx, pipelineId: string, id: string, change: StageChange): Promise<StageRow> {
  tx.assertLocked(pipelinesLock(tx.organizationId));
  const { kind } = await getStage(tx, pipelineId, id);
  if (!isProbable({ kind, probability: change.probability }))
    throw invalidField('probability', improbable(kind), 'stage.probability');
  await tx.update(PipelineStage, { id }, { ...change, updated_at: now() });
  return getStage(tx, pipelineId, id);
}

export const improbable = (kind: string) => `The probability of a stage of kind ${kind} is ${kind === 'won' ? 100 : 0}`;
