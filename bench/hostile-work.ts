import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { untilReady } from './processes.ts';

const looks = 20;
const longestCalmMs = 60_000;

/**
 * What a hostile round left behind must not be in the calm one after it: its jobs, its files, and transactions that would go on for minutes.
 * A transaction of somebody else that is as old is ended too; none of the bench's is.
 */
export async function takeHostileWorkAway(sql: pg.Pool, organizationIds: string[]) {
  for (let look = 1; ; look += 1) {
    await sql.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name in ('kanal-web', 'kanal-worker') and xact_start < clock_timestamp() - interval '500 ms'`,
    );
    try {
      await withoutWaiting(
        sql,
        [
          `update contact_imports set state = 'failed', finished_at = clock_timestamp() where organization_id = any($1) and state in ('uploading', 'queued', 'running')`,
          'delete from jobs where organization_id = any($1)',
        ],
        organizationIds,
      );
      return;
    } catch (error) {
      if (look === looks) throw error;
    }
  }
}

async function withoutWaiting(sql: pg.Pool, texts: string[], organizationIds: string[]) {
  const client = await sql.connect();
  try {
    await client.query(`begin; set local lock_timeout = '500ms'`);
    for (const text of texts) await client.query(text, [organizationIds]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

/** The tenant's own work has ended and the API answers at once, several times. False: not after a minute. */
export async function isCalm(sql: pg.Pool, organizationId: string, base: string): Promise<boolean> {
  let quick = 0;
  for (const until = Date.now() + longestCalmMs; Date.now() < until && quick < 5; ) {
    const ms = await untilReady(`${base}/readyz`).catch(() => Number.POSITIVE_INFINITY);
    const { rows } = await sql.query(
      `select exists (select 1 from jobs where organization_id = $1 and state in ('blocked', 'waiting', 'queued')) as is_open`,
      [organizationId],
    );
    quick = ms < 100 && !rows[0].is_open ? quick + 1 : 0;
    await sleep(100);
  }
  return quick >= 5;
}
