import { now } from '../../platform/database/columns.ts';
import type { Own } from '../../platform/database/own.ts';
import { AppError } from '../../platform/errors.ts';
import { dealStageChanged } from '../../platform/events/crm-events.ts';
import { LocksOutdated } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { dealLock } from '../deal-row.ts';
import { changeDeal } from '../deal-tx.ts';
import { atEnd } from '../place.ts';
import type { Routes } from './routes.ts';

/** Of one transaction: it holds the lock of each. */
export const maxAtOnce = 100;

export type Leaving = { id: string; is_in_bin: boolean };

/** SQL: the next deals of some stages, in their order; those in the bin too, whose stage goes as well. */
export const dealsIn = (own: Own, stageIds: Iterable<string>, limit: number): Promise<Leaving[]> =>
  own.sql<Leaving>(
    `select id, deleted_at is not null as is_in_bin
       from deals
      where organization_id = $1 and stage_id = any($2::uuid[])
      order by stage_id, position, id
      limit $3`,
    [[...stageIds], limit],
  );

export async function countDealsIn(own: Own, stageIds: Iterable<string>): Promise<number> {
  const [counted] = await own.sql<{ count: number }>(
    `select count(*)::int as count
       from deals
      where organization_id = $1 and stage_id = any($2::uuid[])`,
    [[...stageIds]],
  );
  return counted!.count;
}

export const locksOf = (deals: Leaving[]) => deals.map(({ id }) => dealLock(id));

/** Each is a change of the deal, by `actor`. A deal in the bin changes too, and nobody is told. Its write repeats on `revisionTaken`. Throws LocksOutdated. */
export async function moveOut(tx: OwnTx, deals: Leaving[], routes: Routes, actor: string): Promise<void> {
  for (const { id, is_in_bin: isInBin } of deals) {
    const asked = { id, actor, isInBin };
    await changeDeal(tx, asked, (deal) => {
      const { stage_id: from, status } = deal.deal;
      const to = from === null ? undefined : routes.get(from);
      if (!to) return;
      deal.set({ pipeline_id: to.pipeline_id, stage_id: to.id, stage_entered_at: now(), position: atEnd() });
      if (isInBin) return deal.tellsBy(() => null);
      tx.emit(dealStageChanged, {
        deal_id: id,
        organization_id: tx.organizationId,
        pipeline_id: to.pipeline_id,
        from_stage_id: from,
        to_stage_id: to.id,
        status,
      });
    }).catch(outdatedIfMissing);
  }
}

/** Deleted, restored or purged since the look. */
function outdatedIfMissing(error: unknown): never {
  throw error instanceof AppError && error.code === 'not_found' ? new LocksOutdated() : error;
}
