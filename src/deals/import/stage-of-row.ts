import type { RowError } from '../../platform/imports/progress.ts';
import type { DealRow } from '../deal-row.ts';
import type { StageSeen } from './look.ts';
import type { ReadDeal } from './row.ts';

const folded = (text: string) => text.trim().toLowerCase();
const fault = (column: string, code: string, message: string): RowError => ({ column, code, message });

/** By its id, else by its name. */
function pipelineNamed(stages: StageSeen[], text: string): string | RowError {
  const found = new Set(
    stages
      .filter(({ pipeline_id, pipeline_name }) => pipeline_id === text.toLowerCase() || folded(pipeline_name) === folded(text))
      .map(({ pipeline_id }) => pipeline_id),
  );
  const [id] = found;
  if (id === undefined) return fault('pipeline', 'reference.unknown', 'pipeline must be the id or the name of a pipeline');
  return found.size === 1 ? id : fault('pipeline', 'reference.ambiguous', 'Several pipelines have this name: give its id');
}

function stageNamed(stages: StageSeen[], text: string, pipelineId: string | undefined): StageSeen | RowError {
  const byId = stages.find(({ id }) => id === text.toLowerCase());
  const unknown = fault('stage', 'reference.unknown', 'stage must be the id of a stage, or its name in the pipeline');
  if (byId) return byId;
  const found = stages.filter((one) => one.pipeline_id === pipelineId && folded(one.name) === folded(text));
  if (found.length > 1) return fault('stage', 'reference.ambiguous', 'Several stages have this name: give its id');
  return found[0] ?? unknown;
}

/**
 * Where a row puts its deal: a stage, or undefined where it says nothing, or there is no pipeline. A name is looked for in the pipeline named,
 * else in the deal's own, else in the default one. Without a stage it is the first of the status.
 */
export function stageOfRow(
  stages: StageSeen[],
  { pipeline, stage, status }: ReadDeal['values'],
  deal: DealRow | undefined,
): StageSeen | undefined | RowError {
  const named = pipeline === undefined ? undefined : pipelineNamed(stages, pipeline);
  if (typeof named === 'object') return named;
  const own = deal ? (deal.pipeline_id ?? undefined) : stages.find(({ is_default }) => is_default)?.pipeline_id;
  const pipelineId = named ?? own;
  if (stage !== undefined) {
    const found = stageNamed(stages, stage, pipelineId);
    if ('column' in found) return found;
    if (named !== undefined && found.pipeline_id !== named)
      return fault('stage', 'reference.unknown', 'The stage is of another pipeline');
    if (status !== undefined && status !== found.kind)
      return fault('status', 'status.stage', `The status is that of its stage: ${found.kind}`);
    return found;
  }
  const isThere = deal && (named === undefined || named === deal.pipeline_id) && (status === undefined || status === deal.status);
  if (isThere) return undefined;
  const kind = status ?? deal?.status ?? 'open';
  return stages.find((one) => one.pipeline_id === pipelineId && one.kind === kind);
}
