import { removePipelineJob, removeStageJob } from '../../src/deals/pipelines/jobs.ts';
import { moveNext, removalLook, remove } from '../../src/deals/pipelines/remove.ts';
import type { Removal } from '../../src/deals/pipelines/routes.ts';
import { AppError } from '../../src/platform/errors.ts';
import { LocksOutdated } from '../../src/platform/ledger/locks.ts';
import { handle, type Outcome, type RunContext } from '../handler.ts';
import { paused, turnOf } from '../turn.ts';

async function run(removal: Removal, context: RunContext<undefined>): Promise<Outcome> {
  const { own, transact } = context;
  const goOn = turnOf(context);
  try {
    while (await moveNext(own, transact, removal)) if (!(await goOn())) return await paused(context);
    return await context.finishLooked(removalLook(own, removal), async (tx, seen) => {
      await remove(tx.own, removal, seen);
    });
  } catch (error) {
    if (!(error instanceof AppError) || error instanceof LocksOutdated || error.status >= 500) throw error;
    // Removed already, by an earlier run or another removal.
    if (error.code === 'not_found') return context.finish();
    return context.fail({ code: error.code, message: error.message });
  }
}

export const removeStage = handle(removeStageJob, ({ pipeline_id, stage_id, move_to, actor }, context) =>
  run({ pipelineId: pipeline_id, stageId: stage_id, moveTo: move_to, actor }, context),
);
export const removePipeline = handle(removePipelineJob, ({ pipeline_id, move_to, actor }, context) =>
  run({ pipelineId: pipeline_id, moveTo: move_to, actor }, context),
);
