import { Counter, type Registry } from 'prom-client';
import { mediaPurge } from '../src/media/purge.ts';
import { purges as ofRows } from '../src/platform/retention/purges.ts';
import { claimPurge, runPurge } from '../src/platform/retention/run.ts';
import type { WorkerDeps } from './handler.ts';
import { startRepeating } from './repeating.ts';

const everyMs = 60_000;
/** While a purge has more to delete. Pausing a minute each time, one worker deleted less than 100 messages a second leave behind. */
const soonMs = 500;

/** About once a minute, apart from the other workers, it runs the due purges that it can claim. */
export function startRetention(deps: WorkerDeps, registry: Registry, everyAboutMs = everyMs): { stop(): Promise<void> } {
  const purges = [...ofRows, mediaPurge(deps.storage)];
  const deletedTotal = new Counter({
    name: 'kanal_retention_rows_deleted_total',
    help: 'Rows deleted because their time was over',
    labelNames: ['table'],
    registers: [registry],
  });
  for (const table of purges.flatMap(({ tables }) => tables)) deletedTotal.inc({ table }, 0);
  const onDeleted = (deleted: Record<string, number>) => {
    for (const [table, count] of Object.entries(deleted)) deletedTotal.inc({ table }, count);
  };
  let isStopped = false;
  let isWhole = true;
  const isStopping = () => isStopped;

  async function look() {
    isWhole = true;
    for (const purge of purges) {
      if (isStopped || !(await claimPurge(deps.database, purge.table))) continue;
      const startedAt = performance.now();
      const { deleted, isOver } = await runPurge(purge, { ...deps, isStopping, onDeleted });
      isWhole &&= isOver;
      deps.log.info(
        { purge: purge.table, deleted, is_over: isOver, duration_ms: Math.round(performance.now() - startedAt) },
        'purge',
      );
    }
  }

  const work = () => look().catch((error) => deps.log.warn({ err: error }, 'a purge did not finish'));
  const repeating = startRepeating(work, () => (isWhole ? everyAboutMs : soonMs) * (0.5 + Math.random()));
  return {
    stop() {
      isStopped = true;
      return repeating.stop();
    },
  };
}
