import type { Own } from '../../platform/database/own.ts';
import { maxLiveRuns } from '../limits.ts';

/** No organization is given more runs than that in a second, by all processes together. */
const fastest = 5_000;
/** An answer is kept for no longer, and that all room is taken for no longer than this. */
const longestMs = 60_000;
const fullMs = 1_000;
const maxKept = 10_000;

/**
 * Whether the organization has as many live runs as it may have. The count reads an index entry for each of them, so it is asked again only when the
 * limit could have been reached since: the fewer there are, the later.
 */
export function createLiveRuns({ max = maxLiveRuns, perSecond = fastest, now = () => performance.now() } = {}) {
  const kept = new Map<string, { isFull: boolean; untilMs: number }>();

  return async (own: Own): Promise<boolean> => {
    const found = kept.get(own.organizationId);
    if (found && found.untilMs > now()) return found.isFull;
    // SQL: a bounded count, by automation_runs_live.
    const [row] = await own.sql<{ count: number }>(
      `select count(*)::int as count
         from (select 1
                 from automation_runs
                where organization_id = $1 and state in ('queued', 'running')
                limit $2) live`,
      [max],
    );
    const left = max - row!.count;
    const forMs = left > 0 ? Math.min(longestMs, (left / perSecond) * 1_000) : fullMs;
    if (kept.size >= maxKept) kept.clear();
    kept.set(own.organizationId, { isFull: left <= 0, untilMs: now() + forMs });
    return left <= 0;
  };
}

export const isFullOfRuns = createLiveRuns();
