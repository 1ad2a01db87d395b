import { knowJobs } from '../src/jobs.ts';
import { openDatabase } from '../src/open-database.ts';
import { readConfig } from '../src/platform/config/config.ts';
import type { PoolRef } from '../src/platform/ledger/accept.ts';
import { createBackend } from '../src/platform/ledger/backends/index.ts';
import { createLedger } from '../src/platform/ledger/ledger.ts';
import { openQueues } from '../src/platform/ledger/queues.ts';
import { createLog } from '../src/platform/log.ts';
import { openQueue } from './floors/queue.ts';
import type { Side } from './stage.ts';

/** Brings rows that wait in `pool`, or those of `queue` that have none, to `queue`. */
export type HandOver = { run(pool: PoolRef | undefined): Promise<void>; close(): Promise<void> };

/** Ours fills the pool, as the web process does after a commit; the floor's jobs are added in one go. */
export const openHandOver = (side: Side, queue: string) =>
  side.product === 'kanal' ? byFilling(side, queue) : byAdding(side, queue);

async function byFilling({ env, sql }: Side, name: string): Promise<HandOver> {
  knowJobs();
  const config = readConfig(env);
  const log = createLog('silent', 'bench');
  const database = await openDatabase({ url: config.databaseUrl, poolMax: 2, applicationName: 'bench', log });
  const queues = openQueues(createBackend(config, log), log, () => undefined);
  await queues.whenOpen();
  const ledger = createLedger({ database, queues, log, awaitsQueue: false });
  return {
    async run(pool) {
      if (pool) return ledger.fill(pool);
      const { rows } = await sql.query(
        `select id, run, queue, name, organization_id, pool, 0 as delay_ms from jobs where queue = $1 and state = 'queued' and pool is null`,
        [name],
      );
      await queues.add(rows);
    },
    async close() {
      await queues.close();
      await database.close();
    },
  };
}

async function byAdding({ env, sql }: Side, name: string): Promise<HandOver> {
  const queue = openQueue(name, env);
  return {
    async run(pool) {
      const { rows } = pool
        ? await sql.query(
            `update jobs set state = 'queued', lane = null where organization_id = $1 and pool = $2 and state in ('waiting', 'blocked') returning id, name`,
            [pool.organization_id, pool.id],
          )
        : await sql.query(`select id, name from jobs where queue = $1 and state = 'queued'`, [name]);
      await queue.addBulk(rows.map((row) => ({ name: row.name, data: { id: row.id } })));
    },
    close: () => queue.close(),
  };
}
