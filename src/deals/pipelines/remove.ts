import { revisionTaken } from '../../history/history.ts';
import { brokenReference } from '../../platform/database/errors.ts';
import type { Own } from '../../platform/database/own.ts';
import { AppError } from '../../platform/errors.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { Look } from '../../platform/ledger/transact.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { removePipelineJob, removeStageJob } from './jobs.ts';
import { countDealsIn, dealsIn, type Leaving, locksOf, maxAtOnce, moveOut } from './move-out.ts';
import { Pipeline, PipelineStage } from './pipeline.entity.ts';
import { pipelinesLock } from './pipelines-lock.ts';
import { getStage } from './queries.ts';
import { type Removal, type Routes, routesOf } from './routes.ts';
import { shiftStages } from './stages.ts';

type Seen = { routes: Routes; deals: Leaving[] };

/** A deal that came into the stage meanwhile holds it by its reference. */
const cameLater = (error: unknown) => brokenReference(error) === 'deals_stage_of_pipeline';

/** Under the locks of all pipelines and of the deals that leave; of more than `maxAtOnce` an operation moves the deals. */
export const removalLook = (own: Own, removal: Removal): Look<Seen> => ({
  async look() {
    const routes = await routesOf(own, removal);
    return { routes, deals: await dealsIn(own, routes.keys(), maxAtOnce + 1) };
  },
  locks: ({ deals }) => [pipelinesLock(own.organizationId), ...(deals.length > maxAtOnce ? [] : locksOf(deals))],
  retryOn: [revisionTaken],
  outdatedBy: cameLater,
});

/** The operation that moves the deals; undefined: it is removed. Throws 404, 409 with the count of its deals, and 422. */
export async function remove(
  tx: OwnTx,
  removal: Removal,
  seen: Seen,
): Promise<{ operationId: string; deals: number } | undefined> {
  const routes = await routesOf(tx, removal);
  if (seen.deals.length > 0 && removal.moveTo === undefined) throw inUse(removal, await countDealsIn(tx, routes.keys()));
  if (seen.deals.length <= maxAtOnce) {
    await moveOut(tx, seen.deals, routes, removal.actor);
    await removeEmpty(tx, removal);
    return undefined;
  }
  const deals = await countDealsIn(tx, routes.keys());
  return { operationId: enqueueRemoval(tx, removal), deals };
}

function enqueueRemoval(tx: OwnTx, { pipelineId: pipeline_id, stageId: stage_id, moveTo, actor }: Removal): string {
  const payload = { pipeline_id, move_to: moveTo!, actor };
  const options = { lane: pipelinesLock(tx.organizationId) };
  return stage_id === undefined
    ? tx.enqueue(removePipelineJob, payload, options)
    : tx.enqueue(removeStageJob, { ...payload, stage_id }, options);
}

function inUse({ stageId }: Removal, count: number): AppError {
  const what = stageId === undefined ? 'pipeline' : 'stage';
  const message = `The ${what} has ${count} deals, those in the bin counted: name in move_to where they go`;
  return new AppError('conflict', message, {
    details: [{ field: 'move_to', location: 'query', code: `${what}.in_use`, message, value: String(count) }],
  });
}

async function removeEmpty(tx: OwnTx, { pipelineId, stageId, moveTo }: Removal): Promise<void> {
  if (stageId !== undefined) {
    const { position } = await getStage(tx, pipelineId, stageId);
    await tx.delete(PipelineStage, { id: stageId });
    await shiftStages(tx, pipelineId, position, -1);
    return;
  }
  const pipeline = await tx.findOne(Pipeline, { id: pipelineId });
  await tx.delete(Pipeline, { id: pipelineId });
  if (pipeline?.is_default) await makeDefault(tx, moveTo ?? null);
}

/** SQL: the one that took the deals, else the oldest one left. */
const makeDefault = (tx: OwnTx, id: string | null) =>
  tx.sql(
    `update pipelines
        set is_default = true, updated_at = clock_timestamp()
      where organization_id = $1
        and id = coalesce($2::uuid, (
          select id
            from pipelines
           where organization_id = $1
           order by created_at, id
           limit 1))`,
    [id],
  );

/** Moves the next deals of a removal; false: so few are left that the end of the job takes them along. Throws as `remove`. */
export async function moveNext(own: Own, transact: TenantTransact, removal: Removal): Promise<boolean> {
  const look: Look<Seen> = {
    async look() {
      const routes = await routesOf(own, removal);
      return { routes, deals: await dealsIn(own, routes.keys(), maxAtOnce) };
    },
    locks: ({ deals }) => (deals.length < maxAtOnce ? [] : locksOf(deals)),
    retryOn: [revisionTaken],
  };
  return transact(look, async (tx, { routes, deals }) => {
    if (deals.length < maxAtOnce) return false;
    await moveOut(tx.own, deals, routes, removal.actor);
    return true;
  });
}
